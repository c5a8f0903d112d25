#pragma once

#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/rollout/node_job_state.h"
#include "runtime/async_event.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace muster::dispatch {

// Work of the dispatcher that needs the ledger.
struct open_share {  // load the job's tasks on these systems, and open it in the scheduler
    job_id job;
    fleet::system_set systems;
};
struct halt_job {
    job_id job;
    std::string reason;
};
struct late_report {  // of a job that is not open, or not loaded yet
    task_record row;
    rollout::outcome outcome = rollout::outcome::completed;
};
using ledger_work = std::variant<open_share, halt_job, late_report>;

// Queue of ledger work, done one item at a time. A job that does not fit into the scheduler is
// deferred until another job ends, without blocking other work.
//
// Bounded by dropping reports: agents repeat them. Not thread-safe, except dropped().
class ledger_work_queue {
public:
    static constexpr std::size_t length_max = 20'000;

    void push(ledger_work work);
    bool is_empty() const { return queue_.empty(); }
    const ledger_work& front() const { return queue_.front(); }
    void pop();
    // Waits until there may be work.
    async<void> wait() { return wakeup_.wait(); }

    // Whether tasks of the job are not loaded yet: its work is queued or deferred.
    bool is_opening(job_id job) const { return opening_counts_.contains(job); }

    // Defers the job in front. True: it is the only deferred job.
    bool defer_front();
    std::optional<job_id> first_deferred() const;
    void resume_first();

    std::uint64_t dropped() const { return dropped_; }

private:
    std::deque<ledger_work> queue_;
    std::map<job_id, std::size_t> opening_counts_;  // queued items and deferred jobs
    std::map<job_id, fleet::system_set> deferred_;  // oldest job first
    runtime::async_event wakeup_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::dispatch

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

// What the dispatcher needs the ledger for.
struct open_share {  // read what there is of the job on these systems, and open it in the engine
    job_id job;
    fleet::system_set systems;
};
struct halt_job {
    job_id job;
    std::string reason;
};
struct late_report {  // of a job that is not open, or not known yet
    task_record row;
    rollout::outcome how = rollout::outcome::completed;
};
using ledger_work = std::variant<open_share, halt_job, late_report>;

// Ledger work in the order it came; done one after the other. A share of a job that finds no room
// in the engine is put off until a job ends, and nothing waits behind it.
//
// Bounded by dropping reports: their agents send them again. Not thread-safe, but for dropped().
class ledger_work_queue {
public:
    static constexpr std::size_t length_max = 20'000;

    void push(ledger_work next);
    bool empty() const { return waiting_.empty(); }
    const ledger_work& front() const { return waiting_.front(); }
    void pop();
    // Until there may be something.
    async<void> wait() { return more_.wait(); }

    // A share of the job waits or is put off: this node has not read all tasks of the job.
    bool is_opening(job_id job) const { return opening_.contains(job); }

    // The share in front finds no room. True: it is the first one put off.
    bool put_off_front();
    std::optional<job_id> first_put_off() const;
    void resume_first();

    std::uint64_t dropped() const { return dropped_; }

private:
    std::deque<ledger_work> waiting_;
    std::map<job_id, std::size_t> opening_;        // shares that wait, and jobs that are put off
    std::map<job_id, fleet::system_set> put_off_;  // oldest job first
    runtime::async_event more_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace muster::dispatch

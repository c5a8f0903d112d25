#pragma once

#include "core/jobs/progress_meter.h"
#include "core/jobs/task_counts.h"
#include "ports/clock.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/jobs/job_store.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace muster::jobs {

// Which systems of a job stand where, in the memory of a gateway: what the ledger's table `tasks`
// holds, a moment later.
//
// A job is read from the ledger when somebody first asks for it, and followed from then on; those
// that nobody asked for longest are let go. While nobody asks for any job the board reads no rows
// at all, so a gateway without visitors costs the ledger nothing. Thread-safe but for run().
class task_state_cache {
public:
    struct options {
        std::size_t jobs_max = 2'000;                            // remembered at once
        std::size_t bytes_max = std::size_t{256} * 1024 * 1024;  // of all of them, about
        std::size_t page_rows = 2'000;                           // of one look at what is new
        std::size_t load_rows = 10'000;                          // of one page of a job's rows
        std::size_t changes_max = 2'000'000;       // that come while a job is being read
        std::chrono::milliseconds timeout{2'000};  // looks at least this often
        std::chrono::milliseconds idle_look{200};  // when nobody asks for any job
        std::chrono::milliseconds load_look{20};   // for whoever waits for another's reading
        monotonic::duration forget_after = std::chrono::minutes(10);  // since it was last asked for
    };

    task_state_cache(job_store& records, runtime::logger& log, options options);
    task_state_cache(const task_state_cache&) = delete;
    task_state_cache& operator=(const task_state_cache&) = delete;

    // A job's tasks as they were a moment ago.
    struct state_of_job {
        task_sets sets;
        progress_meter meter;
        std::uint64_t changes = 0;  // so many were seen; the same number, the same sets
    };

    // Until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return catch_up(); }, [this] { return wait(); });
    }
    // Reads what is new now: all of it.
    async<void> catch_up();

    // errc::not_found when the job's targets are not kept (any more). Takes seconds for a large job
    // that nobody asked for lately; callers set a deadline.
    async<std::shared_ptr<const state_of_job>> read(job_id job);
    // The same if it is in memory; null otherwise.
    std::shared_ptr<const state_of_job> peek(job_id job);
    // How many changes of a job were seen; nothing when it is not in memory. Cheap.
    std::optional<std::uint64_t> changes(job_id job) const;

    std::size_t remembered() const;

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    struct noted {
        std::int64_t sequence = 0;
        system_number system;
        task_state state = task_state::queued;
    };
    struct entry {
        task_sets sets{fleet::system_set()};
        progress_meter meter;
        std::uint64_t changes = 0;
        bool loading = true;
        std::vector<noted> meanwhile;  // seen while the job was being read
        instant used{};                // when it was last asked for
        std::shared_ptr<const state_of_job> shown;
    };
    // What a reading of a job found.
    struct loaded {
        task_sets sets;
        std::map<system_number, std::int64_t> recent;  // rows behind the point where it began
    };

    // Whether the caller is the one who has to read it.
    enum class role { reader, waiter, done };
    struct place {
        role as = role::done;
        std::int64_t since = 0;
    };
    place enter(job_id job);
    async<loaded> load(job_id job, std::int64_t since);
    void finish(job_id job, loaded read);
    void forget_unread(job_id job);
    void forget_unused();
    void make_room();
    std::shared_ptr<const state_of_job> show(entry& of);

    void apply(const std::vector<stored_task>& rows);
    async<void> wait();
    bool idle() const;
    bool skip_to(std::int64_t last);

    job_store& job_store_;
    options options_;

    mutable std::mutex guard_;
    bool ready_ = false;  // the follower's position says something
    std::map<job_id, entry> jobs_;
    runtime::table_follower<stored_task> rows_;
};

}  // namespace muster::jobs

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

// Holds the state of every task of some jobs, as the ledger table `tasks` had it a moment ago.
//
// The first read of a job loads its tasks from the ledger; the cache follows them from then on. The
// least recently used jobs are evicted. Without cached jobs the cache reads no rows, so an idle
// gateway puts no load on the ledger. Thread-safe except for run() and refresh().
class task_state_cache {
public:
    struct options {
        std::size_t jobs_max = 2'000;  // cached jobs
        std::size_t bytes_max =
            std::size_t{256} * 1024 * 1024;            // of all cached jobs, approximately
        std::size_t page_rows = 2'000;                 // of one page of new rows
        std::size_t load_rows = 10'000;                // of one page of a job's rows
        std::size_t changes_max = 2'000'000;           // changes of a job while it is being loaded
        std::chrono::milliseconds timeout{2'000};      // maximum time between two reads
        std::chrono::milliseconds idle_interval{200};  // between reads without cached jobs
        std::chrono::milliseconds load_poll{20};       // while another caller loads the job
        monotonic::duration evict_after = std::chrono::minutes(10);  // since the last read
    };

    task_state_cache(job_store& jobs, runtime::logger& log, options options);
    task_state_cache(const task_state_cache&) = delete;
    task_state_cache& operator=(const task_state_cache&) = delete;

    // Task states of one job.
    struct job_task_states {
        task_sets sets;
        progress_meter meter;
        std::uint64_t changes = 0;  // number of changes so far; equal numbers mean equal sets
    };

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return refresh(); }, [this] { return wait(); });
    }
    // Reads all new rows.
    async<void> refresh();

    // errc::not_found when the ledger does not have the job's targets (any more). Takes seconds for
    // a large job that is not cached; callers set a deadline.
    async<std::shared_ptr<const job_task_states>> read(job_id job);
    // Returns null if the job is not cached.
    std::shared_ptr<const job_task_states> peek(job_id job);
    // Number of changes so far; empty if the job is not cached. Cheap.
    std::optional<std::uint64_t> changes(job_id job) const;

    std::size_t job_count() const;  // cached jobs

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    struct task_change {
        std::int64_t sequence = 0;
        system_number system;
        task_state state = task_state::queued;
    };
    struct entry {
        task_sets sets{fleet::system_set()};
        progress_meter meter;
        std::uint64_t changes = 0;
        bool loading = true;
        std::vector<task_change> pending;  // changes during the load
        instant used{};                    // time of the last read
        std::shared_ptr<const job_task_states> snapshot;
    };
    struct loaded_tasks {
        task_sets sets;
        std::map<system_number, std::int64_t> recent;  // sequences above the start of the load
    };

    // What the caller of read() does next: load the job, wait for another caller, or return.
    enum class load_role { loader, waiter, done };
    struct load_ticket {
        load_role role = load_role::done;
        std::int64_t since = 0;
    };
    load_ticket begin_load(job_id job);
    async<loaded_tasks> load(job_id job, std::int64_t since);
    void finish_load(job_id job, loaded_tasks loaded);
    void discard_unfinished(job_id job);
    void evict_unused();
    void evict_excess();
    std::shared_ptr<const job_task_states> snapshot_of(entry& entry);

    void apply(const std::vector<stored_task>& rows);
    async<void> wait();
    bool is_idle() const;
    bool skip_to(std::int64_t last);

    job_store& job_store_;
    options options_;

    mutable std::mutex mutex_;
    bool ready_ = false;  // the follower has a position
    std::map<job_id, entry> jobs_;
    runtime::table_follower<stored_task> rows_;
};

}  // namespace muster::jobs

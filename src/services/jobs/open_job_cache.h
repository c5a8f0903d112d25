#pragma once

#include "ports/clock.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/jobs/job_store.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace muster::jobs {

struct open_job {
    job_record record;
    std::shared_ptr<const job_targets> targets;
};

// Holds every job that has not ended, as the ledger table `jobs` had it a moment ago. Every server
// has this cache. Call run() and refresh() from one strand; reading is thread-safe.
class open_job_cache {
public:
    struct options {
        std::chrono::milliseconds timeout{2'000};  // maximum time between two reads
        std::size_t page_rows = 500;
    };

    open_job_cache(job_store& jobs, runtime::logger& log, options options);
    open_job_cache(const open_job_cache&) = delete;
    open_job_cache& operator=(const open_job_cache&) = delete;

    // Called on the strand of run() with each job that is new, changed, or has ended. An ended job
    // is no longer in the cache. Register watchers before run().
    using watcher = std::function<void(const open_job&)>;
    void watch(watcher watcher) { watchers_.push_back(std::move(watcher)); }

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run() {
        return rows_.run([this] { return refresh(); });
    }
    // Reads all new rows.
    async<void> refresh();

    std::shared_ptr<const open_job> find(job_id job) const;  // null: not open, or not read yet
    std::vector<std::shared_ptr<const open_job>> all() const;
    const std::atomic<std::size_t>& size() const { return size_; }  // number of open jobs
    bool is_complete() const;                                       // all open jobs were read once

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    async<void> begin();
    async<void> apply(std::vector<stored_job> rows);
    async<void> apply(stored_job stored);

    job_store& jobs_;
    std::vector<watcher> watchers_;
    bool begun_ = false;

    mutable std::mutex mutex_;
    std::map<job_id, std::shared_ptr<const open_job>> open_;
    std::atomic<std::size_t> size_ = 0;  // of open_
    bool complete_ = false;
    runtime::table_follower<stored_job> rows_;
};

}  // namespace muster::jobs

#pragma once

#include "ports/clock.h"
#include "roles/jobs/job_ledger.h"
#include "runtime/log.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace muster::jobs {

struct open_job {
    job_record record;
    std::shared_ptr<const job_audience> who;
};

// Every job that has not ended, in the memory of every server: what the ledger's table `jobs`
// holds, a moment later. run() lives on one strand; reading is thread-safe.
class job_book {
public:
    struct options {
        std::chrono::milliseconds patience{2'000};  // looks at least this often
        std::size_t page_rows = 500;
    };

    job_book(job_ledger& records, runtime::logger& log, options how)
        : records_(records), log_(log), how_(how) {}
    job_book(const job_book&) = delete;
    job_book& operator=(const job_book&) = delete;

    // Called on the strand of run() with each job that is new, changed, or has ended; an ended one
    // is no longer in the book. To be set before run().
    using watcher = std::function<void(const open_job&)>;
    void watch(watcher told) { watchers_.push_back(std::move(told)); }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();
    // Reads what is new now: all of it.
    async<void> catch_up();

    std::shared_ptr<const open_job> find(job_id job) const;  // null: not open, or not known yet
    std::vector<std::shared_ptr<const open_job>> all() const;
    std::size_t size() const;  // how many are open
    bool complete() const;

private:
    async<void> begin();
    async<bool> read_page();  // whether there is more
    async<void> take(stored_job one);

    job_ledger& records_;
    runtime::logger& log_;
    options how_;
    std::vector<watcher> watchers_;
    bool begun_ = false;
    std::int64_t read_up_to_ = 0;

    mutable std::mutex guard_;
    std::map<job_id, std::shared_ptr<const open_job>> open_;
    bool complete_ = false;
};

}  // namespace muster::jobs

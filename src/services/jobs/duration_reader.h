#pragma once

#include "core/jobs/duration_history.h"
#include "ports/clock.h"
#include "services/jobs/job_store.h"

#include <map>
#include <mutex>
#include <string>

namespace muster::jobs {

// Measures how long the same work took before: completed tasks of the newest jobs with the same
// function and arguments. Caches the results for a while. Thread-safe.
class duration_reader {
public:
    struct options {
        std::size_t jobs_scanned_max = 500;  // the newest jobs, of any kind
        std::size_t jobs_read_max = 5;       // jobs of the requested kind among them
        std::size_t tasks_read_max = 500;    // of each such job
        std::size_t cached_max = 1'000;
        monotonic::duration cache_time = std::chrono::minutes(2);
    };

    duration_reader(job_store& jobs, muster::clock& clock, options options)
        : jobs_(jobs), clock_(clock), options_(options) {}
    duration_reader(const duration_reader&) = delete;
    duration_reader& operator=(const duration_reader&) = delete;

    async<duration_history::statistics> measure(job_spec work);

private:
    struct cached {
        duration_history::statistics durations;
        instant expires;
    };

    async<void> read_tasks(job_id job, std::string kind, duration_history* history);
    async<duration_history::statistics> read_history(std::string kind);

    job_store& jobs_;
    muster::clock& clock_;
    options options_;
    std::mutex mutex_;
    std::map<std::string, cached> cache_;
};

}  // namespace muster::jobs

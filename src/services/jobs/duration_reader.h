#pragma once

#include "core/jobs/duration_history.h"
#include "ports/clock.h"
#include "services/jobs/job_store.h"

#include <map>
#include <mutex>
#include <string>

namespace muster::jobs {

// How long the same work took before, by the record: what ended well of the newest jobs with the
// same function and arguments. An answer is remembered for a while. Thread-safe.
class duration_reader {
public:
    struct options {
        std::size_t jobs_looked_at = 500;  // the newest ones, of whatever kind
        std::size_t jobs_read = 5;         // of those, of this kind
        std::size_t tasks_read = 500;      // of each
        std::size_t remembered_max = 1'000;
        monotonic::duration remember = std::chrono::minutes(2);
    };

    duration_reader(job_store& records, muster::clock& clock, options options)
        : jobs_(records), clock_(clock), options_(options) {}
    duration_reader(const duration_reader&) = delete;
    duration_reader& operator=(const duration_reader&) = delete;

    async<duration_history::measured> measure(job_spec work);

private:
    struct remembered {
        duration_history::measured what;
        instant until;
    };

    async<void> read(job_id job, std::string kind, duration_history* into);
    async<duration_history::measured> look_up(std::string kind);

    job_store& jobs_;
    muster::clock& clock_;
    options options_;
    std::mutex guard_;
    std::map<std::string, remembered> known_;
};

}  // namespace muster::jobs

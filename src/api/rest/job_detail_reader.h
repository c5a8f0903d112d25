#pragma once

#include "api/operations/api_context.h"
#include "api/rest/job_json.h"
#include "ports/deadline.h"
#include "services/jobs/job_store.h"
#include "services/jobs/task_state_cache.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace muster::api {

// Reading a job whose tasks nobody asked for lately: all its rows are read once.
inline constexpr auto board_timeout = std::chrono::seconds(25);

// A job with its tasks as they stand. What the API reads about jobs it reads through this.
// Thread-safe.
class job_detail_reader {
public:
    job_detail_reader(
        jobs::job_store& records, jobs::task_state_cache& task_states, muster::clock& clock)
        : jobs_(records), task_states_(task_states), clock_(clock) {}

    struct reading {
        jobs::stored_job job;
        std::shared_ptr<const jobs::task_state_cache::state_of_job> tasks;
    };

    // `id` as it stands in a path. errc::not_found when there is no such job.
    async<jobs::stored_job> find(std::string id) const;
    async<jobs::stored_job> find(job_id job) const;
    async<reading> read(std::string id) const;
    async<reading> read(job_id job) const;
    // Counts that always sum to the number of targets. Of an ended job whose rows the retention has
    // removed they are what was counted at its end.
    job_progress progress(const reading& of) const;
    // For lists: of what is in memory, small or ended; nothing when it would cost too much.
    async<std::optional<job_progress>> cheap_progress(jobs::stored_job job) const;

    // Whom it is for: from memory, if somebody asked for its tasks lately.
    async<fleet::system_set> targets(job_id job) const;

    // What a task returned, by its digest. Nothing: it is not on record (yet).
    async<std::optional<std::string>> payload(job_id job, std::string digest) const;

    jobs::job_store& records() const { return jobs_; }
    jobs::task_state_cache& board() const { return task_states_; }
    muster::clock& clock() const { return clock_; }

private:
    jobs::job_store& jobs_;
    jobs::task_state_cache& task_states_;
    muster::clock& clock_;
};

}  // namespace muster::api

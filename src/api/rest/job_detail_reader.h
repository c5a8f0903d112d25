#pragma once

#include "api/operations/api_context.h"
#include "api/rest/job_json.h"
#include "ports/deadline.h"
#include "services/jobs/job_store.h"
#include "services/jobs/job_windows.h"
#include "services/jobs/task_state_cache.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace muster::api {

// Timeout for the task states of a job that is not in memory: all its rows are read once.
inline constexpr auto task_states_timeout = std::chrono::seconds(25);

// Reads jobs with their task states and progress, for all API operations on jobs. Thread-safe.
class job_detail_reader {
public:
    job_detail_reader(
        jobs::job_store& jobs,
        jobs::task_state_cache& task_states,
        jobs::job_windows& windows,
        muster::clock& clock)
        : jobs_(jobs), task_states_(task_states), windows_(windows), clock_(clock) {}

    struct job_detail {
        jobs::stored_job job;
        std::shared_ptr<const jobs::task_state_cache::job_task_states> tasks;
    };

    // `id` is the text of a path. errc::not_found if there is no such job.
    async<jobs::stored_job> find(std::string id) const;
    async<jobs::stored_job> find(job_id job) const;
    async<job_detail> read(std::string id) const;
    async<job_detail> read(job_id job) const;
    // Counts that always sum to the number of targets. For an ended job whose rows were pruned,
    // they are the counts stored at its end.
    async<job_progress> progress(job_detail detail) const;
    // For lists: progress of jobs that are in memory, small or ended; nullopt if too expensive.
    async<std::optional<job_progress>> cheap_progress(jobs::stored_job job) const;

    // The targets of a job, from memory if its task states are there.
    async<fleet::system_set> targets(job_id job) const;

    // The payload with this digest; nullopt: not stored (yet).
    async<std::optional<std::string>> payload(job_id job, std::string digest) const;

    jobs::job_store& job_store() const { return jobs_; }
    jobs::task_state_cache& task_states() const { return task_states_; }
    muster::clock& clock() const { return clock_; }

private:
    jobs::job_store& jobs_;
    jobs::task_state_cache& task_states_;
    jobs::job_windows& windows_;
    muster::clock& clock_;
};

}  // namespace muster::api

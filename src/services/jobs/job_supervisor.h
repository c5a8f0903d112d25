#pragma once

#include "core/rollout/job_decision.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/task_state_cache.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>

namespace muster::jobs {

// Drives every open job to its end. Starts a job after its parents or canaries succeeded, and halts
// it after too many failures. Ends it when all tasks have ended or the job has expired. Completes
// the replacement of rescheduled jobs. Decides from ledger records only. Other servers may write
// the same records: a job's stage only moves forward.
//
// Runs on the server of the active driver. Not thread-safe; call from one strand.
class job_supervisor {
public:
    struct dependencies {
        job_store& jobs;
        open_job_cache& open_jobs;
        task_state_cache& task_states;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        monotonic::duration interval = std::chrono::milliseconds(500);
        // No node starts tasks of a job this long after it was cancelled or expired. By then each
        // node has read the record or lost its lease.
        monotonic::duration grace = std::chrono::seconds(10);
        monotonic::duration timeout = std::chrono::seconds(30);  // to read a large job
    };

    job_supervisor(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // Checks every open job once. Ends early when the ledger is unavailable. The next run then
    // begins with the following job, so that one unreadable job does not block the others.
    async<void> run_once();

private:
    async<void> check_job(std::shared_ptr<const open_job> job);
    async<std::optional<wall_time>> find_canaries_end(const open_job& job);
    async<void> check_parents(std::shared_ptr<const open_job> job);
    async<void> check_replacement(std::shared_ptr<const open_job> job);
    // Whether the job has started on any of these systems.
    async<bool> has_begun(job_id job, fleet::system_set systems);
    async<void> record_decision(
        job_id job, rollout::job_decision decision, std::optional<task_counts> counts);

    dependencies deps_;
    options options_;
    job_id failed_job_;                           // the job at which the last run ended early
    std::map<job_id, wall_time> canaries_ended_;  // of jobs with a canary wait
};

}  // namespace muster::jobs

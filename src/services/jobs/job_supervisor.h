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

// Sees every open job through: lets it go on when its parents completed or its canaries succeeded,
// halts it when too much failed, ends it when everybody has answered or its time is over, and has
// it take the place of another that could not start as it was planned. Judges by what is on record;
// what it writes, others may write too: a job's stage only moves on.
//
// Works on one server at a time, that of the active driver. Lives on one strand.
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
        // So long after a job was cancelled, or its time was over, no node starts it any more: each
        // has read the record by then, or has lost its lease.
        monotonic::duration grace = std::chrono::seconds(10);
        monotonic::duration timeout = std::chrono::seconds(30);  // to read a large job
    };

    job_supervisor(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // One look at every open job. Ends early when the ledger says no; then the next one begins with
    // the job behind, so that one which can never be read keeps nobody else waiting.
    async<void> look();

private:
    async<void> look_at(std::shared_ptr<const open_job> job);
    async<std::optional<wall_time>> canaries_end(const open_job& job);
    async<void> look_at_parents(std::shared_ptr<const open_job> job);
    async<void> check_replacement(std::shared_ptr<const open_job> job);
    async<bool> has_begun(job_id job, fleet::system_set on);  // on any of them
    async<void> move_on(
        job_id job, rollout::job_decision job_decision, std::optional<task_counts> counts);

    dependencies deps_;
    options options_;
    job_id stopped_at_;
    std::map<job_id, wall_time> canaries_ended_;  // of jobs that wait after them
};

}  // namespace muster::jobs

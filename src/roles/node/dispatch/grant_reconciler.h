#pragma once

#include "core/rollout/grant.h"
#include "ports/metastore.h"
#include "roles/node/dispatch/dispatcher.h"
#include "runtime/log.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/topology.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/quota_cache.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace muster::dispatch {

// Applies cluster-wide job limits on this node: passes the node's grants to the dispatcher, returns
// unused grants, and reports usage.
//
// After a lost lease, or if the node was declared faulty, it restarts like a new process, because
// its grants may have changed. Writes nothing while nothing changes. Not thread-safe; call from the
// dispatcher's strand.
class grant_reconciler {
public:
    struct dependencies {
        muster::metastore& metastore;
        jobs::open_job_cache& open_jobs;
        dispatcher& node;
        const cluster::topology_cache& topology;
        const cluster::lease_guard& lease;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        node_id self;
        std::string process;                                            // unique for each start
        monotonic::duration interval = std::chrono::milliseconds(250);  // between runs, at most
        monotonic::duration report_interval = std::chrono::milliseconds(500);  // for each job
        monotonic::duration timeout = std::chrono::seconds(5);  // for one transaction
        // A longer pause between runs counts as a lost lease.
        monotonic::duration lapse = std::chrono::seconds(30);
        std::size_t writes_per_run = 64;
    };

    grant_reconciler(dependencies deps, options options);

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

private:
    struct job_grant {
        rollout::grant_holder holder;
        // Passed to the dispatcher; nullopt while it does not have the job.
        std::optional<std::pair<rollout::allowance, rollout::tasks_elsewhere>> passed;
        std::optional<rollout::share_report> reported;
        instant next_report{};
    };

    async<void> run_once();
    bool is_state_valid();
    void restart();
    void forget_ended();
    async<void> reconcile_job(std::shared_ptr<const jobs::open_job> job);
    void update_dispatcher(job_id job, job_grant& job_grant);
    async<void> write_grant(job_id job, rollout::grant_holder::write write);
    async<void> report(std::shared_ptr<const jobs::open_job> job, std::int64_t epoch);
    std::uint64_t used_tasks(job_id job, const job_grant& job_grant) const;
    bool may_write() const { return writes_ < options_.writes_per_run; }

    dependencies deps_;
    options options_;
    jobs::quota_cache grants_;
    std::map<job_id, job_grant> job_grants_;
    job_id last_job_;  // last job of a run that reached writes_per_run
    std::size_t writes_ = 0;
    std::uint64_t generation_ = 1;
    std::optional<instant> last_run_;
    std::optional<std::pair<node_number, std::string>> own_place_;  // own number and zone
};

}  // namespace muster::dispatch

#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/cluster/topology.h"
#include "services/jobs/job_store.h"
#include "services/jobs/node_quota_states.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/quota_cache.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace muster::jobs {

// Splits the limits of open jobs among nodes (core/rollout/quota.h decides). Splits them again when
// the nodes' work changes or a node is removed. Deletes the quota records of ended jobs.
//
// Runs on the server of the active driver. If two servers run it for a while, the metastore refuses
// the writes of one. Writes only changes. Not thread-safe; call from one strand.
class quota_allocator {
public:
    struct dependencies {
        muster::metastore& metastore;
        job_store& jobs;
        open_job_cache& open_jobs;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        monotonic::duration interval =
            std::chrono::milliseconds(500);                     // maximum time between two runs
        monotonic::duration timeout = std::chrono::seconds(5);  // of one transaction
        std::size_t plans_per_run = 64;
        monotonic::duration removal_interval = std::chrono::seconds(2);
        std::size_t removals_per_run = 64;  // jobs
    };

    quota_allocator(dependencies deps, options options);

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

private:
    async<void> run_once(std::set<job_id> changed_jobs);
    void collect_changes();
    async<bool> plan_job(std::shared_ptr<const open_job> job);  // true: the plan is complete
    std::vector<rollout::node_view> views_of(const job_quota& quota) const;
    async<void> remove_ended_jobs();
    async<void> remove(job_id job);

    dependencies deps_;
    options options_;
    quota_cache quotas_;
    std::shared_ptr<const cluster::topology> topology_;
    std::map<std::string, node_quota_state> node_states_;  // of topology_
    std::map<job_id, std::shared_ptr<const open_job>> limited_jobs_;
    std::set<job_id> due_jobs_;
    std::map<job_id, kv::revision> own_writes_;  // until quotas_ contains them
    instant next_removal_{};
};

}  // namespace muster::jobs

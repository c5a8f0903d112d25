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

// Splits the limits of open jobs among nodes, and splits them again when their work changes or a
// node is given up (core/rollout/quota.h decides). Removes the records of jobs that have ended.
//
// Works on one server at a time, that of the active driver; if for a while there are two, one of
// them is refused. Writes nothing while nothing changes. Lives on one strand.
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
        monotonic::duration interval = std::chrono::milliseconds(500);  // looks at least this often
        monotonic::duration timeout = std::chrono::seconds(5);          // of one transaction
        std::size_t plans_a_look = 64;
        monotonic::duration sweep_interval = std::chrono::seconds(2);
        std::size_t removed_a_sweep = 64;  // jobs
    };

    quota_allocator(dependencies deps, options options);

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

private:
    async<void> look(std::set<job_id> touched);
    void note_what_changed();
    async<bool> plan(std::shared_ptr<const open_job> job);  // whether there is nothing to add
    std::vector<rollout::node_view> views_of(const job_quota& quota) const;
    async<void> sweep();
    async<void> remove(job_id job);

    dependencies deps_;
    options options_;
    quota_cache kept_;
    std::shared_ptr<const cluster::topology> known_;
    std::map<std::string, node_standing> census_;  // of known_
    std::map<job_id, std::shared_ptr<const open_job>> limited_;
    std::set<job_id> due_;
    std::map<job_id, kv::revision> awaited_;  // our own writes, until the book has them
    instant next_sweep_{};
};

}  // namespace muster::jobs

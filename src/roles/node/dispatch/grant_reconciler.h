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

// The node's side of cluster-wide limits: lets the dispatcher use what the metastore grants this
// node of each limited job, gives back what it does not need, and reports what it has.
//
// A node that lost its lease, or was given up, starts anew as if it were another process: what it
// knew of its grants may no longer be so. Writes nothing while nothing changes. Lives on the
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
        std::string process;                                            // differs with every start
        monotonic::duration interval = std::chrono::milliseconds(250);  // looks at least this often
        monotonic::duration report_interval = std::chrono::milliseconds(500);  // a job
        monotonic::duration timeout = std::chrono::seconds(5);                 // of one transaction
        // Not having looked for so long is as good as having lost the lease meanwhile.
        monotonic::duration lapse = std::chrono::seconds(30);
        std::size_t writes_a_look = 64;
    };

    grant_reconciler(dependencies deps, options options);

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    struct holding {
        rollout::grant_holder holder;
        // What the dispatcher was told; nothing while it does not have the job.
        std::optional<std::pair<rollout::allowance, rollout::settlement>> told;
        std::optional<rollout::share_report> reported;
        instant report_from{};
    };

    async<void> look();
    bool stands();
    void start_anew();
    void forget_ended();
    async<void> look_at(std::shared_ptr<const jobs::open_job> job);
    void tell_dispatcher(job_id job, holding& holding);
    async<void> offer(job_id job, rollout::grant_holder::write write);
    async<void> report(std::shared_ptr<const jobs::open_job> job, std::int64_t epoch);
    std::uint64_t used(job_id job, const holding& holding) const;
    bool may_write() const { return writes_ < options_.writes_a_look; }

    dependencies deps_;
    options options_;
    jobs::quota_cache grants_;
    std::map<job_id, holding> held_;
    job_id last_;  // where the last look ended for want of writes
    std::size_t writes_ = 0;
    std::uint64_t beginnings_ = 1;
    std::optional<instant> looked_;
    std::optional<std::pair<node_number, std::string>> place_;  // own number and zone
};

}  // namespace muster::dispatch

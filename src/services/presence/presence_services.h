#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/cluster_services.h"
#include "services/presence/load_cache.h"
#include "services/presence/presence_cache.h"
#include "services/presence/presence_lookup.h"
#include "services/presence/subscriber.h"

namespace muster::presence {

// The attached systems and the loads of the nodes, as the nodes report them. Thread-safe except for
// the loops that start() spawns.
struct presence_services {
    struct dependencies {
        const cluster::cluster_services& cluster;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit presence_services(const dependencies& deps)
        : lookup(attached, deps.cluster.topology),
          reports(
              {.bus = deps.cluster.engines.bus,
               .clock = deps.clock,
               .topology = deps.cluster.topology,
               .presence = attached,
               .loads = loads,
               .log = deps.log},
              {}) {}

    void start(runtime::task_group& loops) {
        loops.spawn("follow presence", reports.follow_reports());
        loops.spawn("follow loads", reports.follow_loads());
        loops.spawn("expire silent nodes", reports.expire_nodes());
    }
    void export_metrics(runtime::metrics& metrics) const {
        metrics.watch_counter(
            {"muster_reports_malformed_total",
             "Total number of unreadable node reports since start."},
            [this] { return static_cast<double>(reports.malformed()); });
    }

    presence_cache attached;
    load_cache loads;
    cached_presence_lookup lookup;
    subscriber reports;
};

}  // namespace muster::presence

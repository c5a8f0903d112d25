#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/cluster_services.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/group_store.h"
#include "services/fleet/search.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/target_resolver.h"
#include "services/presence/presence_services.h"

namespace muster::fleet {

// The services that know the systems of the cluster and select some of them. Thread-safe except for
// the loops that start() spawns.
struct fleet_services {
    struct dependencies {
        const cluster::cluster_services& cluster;
        const presence::presence_services& presence;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit fleet_services(const dependencies& deps)
        : index(systems),
          groups(deps.cluster.engines.ledger, deps.clock, deps.log),
          rules(deps.cluster.engines.metastore, deps.clock, deps.log),
          follower(deps.cluster.engines.ledger, systems, deps.clock, deps.log, {}),
          targets(
              {.systems = systems,
               .index = index,
               .groups = groups,
               .presence = deps.presence.attached,
               .topology = deps.cluster.topology}) {
        systems.use_presence(deps.presence.lookup);
    }

    void start(runtime::task_group& loops) {
        loops.spawn("follow the systems", follower.run());
        loops.spawn("follow the saved groups", groups.run());
        loops.spawn("follow the accept rules", rules.run());
    }
    void export_metrics(runtime::metrics& metrics) const {
        metrics.watch_counter(
            {"muster_search_facts_omitted_total",
             "Total number of facts excluded from search because of too many paths."},
            [this] { return static_cast<double>(index.read_sizes().left_out); });
        follower.export_to(metrics);
        groups.export_to(metrics);
    }

    system_cache systems;
    search index;
    group_store groups;
    accept_rule_store rules;
    system_follower follower;
    target_resolver targets;
};

}  // namespace muster::fleet

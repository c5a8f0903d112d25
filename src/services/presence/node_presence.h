#pragma once

#include "runtime/task_group.h"
#include "services/cluster/cluster_services.h"
#include "services/presence/presence_history_writer.h"
#include "services/presence/publisher.h"

#include <string>
#include <utility>

namespace muster::presence {

// Publishes the attached systems of a node on the bus, and records them over time in the ledger.
struct node_presence {
    struct dependencies {
        const cluster::cluster_services& cluster;
        attached_agents& attached;
        muster::clock& clock;
        runtime::logger& log;
    };

    node_presence(const dependencies& deps, const std::string& node)
        : history(
              {.ledger = deps.cluster.engines.ledger,
               .clock = deps.clock,
               .log = deps.log,
               .topology = deps.cluster.topology,
               .start = deps.cluster.membership},
              {.node = node}),
          reports(
              {.bus = deps.cluster.engines.bus,
               .clock = deps.clock,
               .topology = deps.cluster.topology,
               .attached = deps.attached,
               .log = deps.log,
               .start = deps.cluster.membership,
               .history = &history},
              {.node = node}) {}

    void start(runtime::task_group& loops) {
        loops.spawn("publish presence", reports.run());
        loops.spawn("write presence history", history.run());
    }

    history::presence_history_writer history;
    publisher reports;
};

}  // namespace muster::presence

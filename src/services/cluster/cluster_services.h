#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/bus_publisher.h"
#include "services/cluster/engines.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/registration.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_follower.h"

namespace muster::cluster {

// The parts of a server that make it a member of its cluster: registration, topology and bus.
// Thread-safe except for the loops that start() spawns.
struct cluster_services {
    struct dependencies {
        cluster::engines engines;
        muster::clock& clock;
        cluster::readiness& readiness;
        runtime::logger& log;
    };

    cluster_services(const dependencies& deps, registration::options registration_options)
        : engines(deps.engines),
          bus(deps.engines.bus, deps.log),
          follower(deps.engines.metastore, deps.clock, topology, deps.log, {}),
          membership(
              deps.engines.metastore,
              {.clock = deps.clock,
               .readiness = deps.readiness,
               .guard = lease,
               .topology = topology,
               .log = deps.log},
              std::move(registration_options)) {}

    void start(runtime::task_group& loops) {
        loops.spawn("publish on the bus", bus.run());
        loops.spawn("keep registration", membership.run());
        loops.spawn("follow the topology", follower.run());
    }
    void export_metrics(runtime::metrics& metrics) const {
        metrics.watch_counter(
            {"muster_announcements_dropped_total",
             "Total number of messages dropped because the bus refused them."},
            [this] { return static_cast<double>(bus.dropped()); });
    }

    cluster::engines engines;
    bus_publisher bus;
    topology_cache topology;
    lease_guard lease;
    topology_follower follower;
    registration membership;
};

}  // namespace muster::cluster

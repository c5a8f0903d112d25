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

// A server as a member of its cluster: it is listed there, knows the topology and publishes on the
// bus. Thread-safe but for its loops.
struct cluster_services {
    struct dependencies {
        cluster::engines engines;
        muster::clock& clock;
        readiness& state;
        runtime::logger& log;
    };

    cluster_services(const dependencies& deps, registration::options own)
        : engines(deps.engines),
          bus(deps.engines.bus, deps.log),
          follower(deps.engines.metastore, deps.clock, topology, deps.log, {}),
          membership(
              deps.engines.metastore,
              {.clock = deps.clock,
               .noted = deps.state,
               .guard = lease,
               .topology = topology,
               .log = deps.log},
              std::move(own)) {}

    void start(runtime::task_group& loops) {
        loops.spawn("publish on the bus", bus.run());
        loops.spawn("stay listed", membership.keep());
        loops.spawn("follow the topology", follower.run());
    }
    void export_metrics(runtime::metrics& to) const {
        to.watch_counter(
            {"muster_announcements_dropped_total", "Messages the bus did not take."},
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

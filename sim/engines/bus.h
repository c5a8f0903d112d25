#pragma once

#include "core/stream/feed.h"
#include "ports/bus.h"
#include "sim/cluster.h"
#include "sim/engines/engine.h"
#include "sim/engines/engine_client.h"

#include <memory>
#include <string>

namespace muster::sim {

// A process that serves a bus. Starting it anew recovers what was acknowledged.
process& add_bus_engine(sim::cluster& cluster, std::string name, engine_options options = {});

struct bus_client_options {
    engine_client_options calls;
    stream::feed_limits feed;
};

// A client in the process `host`, which must be running. It is unusable after the crash of `host`.
std::shared_ptr<bus> open_bus(
    sim::cluster& cluster,
    process& host,
    const std::string& engine,
    bus_client_options options = {});

}  // namespace muster::sim

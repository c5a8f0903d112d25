#pragma once

#include "ports/metastore.h"
#include "sim/cluster.h"
#include "sim/engines/engine.h"
#include "sim/engines/engine_client.h"

#include <cstddef>
#include <memory>
#include <string>

namespace muster::sim {

struct metastore_engine_options {
    engine_options serving;
    std::size_t watch_history_max = 5'000;  // changes; a watch that is further behind is compacted
};

// A process that serves a metastore. Starting it anew recovers what was acknowledged.
process& add_metastore_engine(
    sim::cluster& cluster, std::string name, metastore_engine_options options = {});

// A client in the process `host`, which must be running; it is worth nothing after the crash of
// `host`.
std::shared_ptr<metastore> open_metastore(
    sim::cluster& cluster,
    process& host,
    const std::string& engine,
    engine_client_options options = {});

}  // namespace muster::sim

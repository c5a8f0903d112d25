#pragma once

#include "ports/ledger.h"
#include "sim/cluster.h"
#include "sim/engines/engine.h"
#include "sim/engines/engine_client.h"

#include <memory>
#include <string>

namespace muster::sim {

// A process that serves any number of ledger databases. Starting it anew recovers what was
// acknowledged.
process& add_ledger_engine(sim::cluster& cluster, std::string name, engine_options options = {});

struct ledger_location {
    std::string engine;
    std::string database;
};

// A client in the process `host`, which must be running; it is worth nothing after the crash of
// `host`.
std::shared_ptr<ledger> open_ledger(
    sim::cluster& cluster,
    process& host,
    ledger_location location,
    engine_client_options options = {});

}  // namespace muster::sim

#pragma once

#include "ports/ledger.h"
#include "sim/cluster.h"
#include "sim/engines/caller.h"
#include "sim/engines/engine.h"

#include <memory>
#include <string>

namespace muster::sim {

// A process that serves any number of ledger databases. Starting it anew recovers what was
// acknowledged.
process& add_ledger_engine(cluster& stage, std::string name, engine_options options = {});

struct ledger_place {
    std::string engine;
    std::string database;
};

// A client in the process `host`, which must be running; it is worth nothing after the crash of
// `host`.
std::shared_ptr<ledger> open_ledger(
    cluster& stage, process& host, ledger_place where, caller_options options = {});

}  // namespace muster::sim

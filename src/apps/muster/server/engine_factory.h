#pragma once

#include "adapters/os/data_directory.h"
#include "ports/bus.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "runtime/settings/settings.h"

#include <memory>

namespace muster::server {

struct opened_engines {
    std::unique_ptr<muster::metastore> metastore;
    std::unique_ptr<muster::ledger> ledger;
    std::unique_ptr<muster::bus> bus;
};

// Opens the engines of the settings. Embedded engines open at once or fail. Network engines connect
// in the background; an unavailable one is not an error here. `log` must outlive the engines.
struct engine_dependencies {
    const os::data_directory& data;
    muster::clock& clock;
    runtime::logger& log;
};
result<opened_engines> open_engines(
    const runtime::settings& settings, const engine_dependencies& deps);

}  // namespace muster::server

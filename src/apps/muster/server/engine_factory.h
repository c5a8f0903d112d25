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

// Opens the engines the settings name. Embedded ones are there at once or never will be; those on
// the network connect in the background, and being away is no error here. `log` outlives them.
struct engine_surroundings {
    const os::data_directory& where;
    muster::clock& clock;
    runtime::logger& log;
};
result<opened_engines> open_engines(
    const runtime::settings& settings, const engine_surroundings& engine_surroundings);

}  // namespace muster::server

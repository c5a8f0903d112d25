#pragma once

#include "adapters/os/time_zone_database.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/windows/window_store.h"

#include <string_view>

namespace muster::windows {

// Owns the window store of a server. Thread-safe except for start().
struct window_services {
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit window_services(const dependencies& deps)
        : store(
              {.ledger = deps.ledger,
               .clock = deps.clock,
               .zones = [this](std::string_view name) { return zones.find(name); },
               .log = deps.log}) {}
    window_services(const window_services&) = delete;
    window_services& operator=(const window_services&) = delete;

    void start(runtime::task_group& loops) {
        loops.spawn("follow the maintenance windows", store.run());
    }
    void export_metrics(runtime::metrics& metrics) const { store.export_to(metrics); }

    os::time_zone_database zones;
    window_store store;
};

}  // namespace muster::windows

#pragma once

#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/events/event_log.h"
#include "services/events/event_watcher.h"
#include "services/events/event_writer.h"
#include "services/events/system_names.h"

namespace muster::events {

// What happened in the cluster: every server writes events, and waits for them on behalf of whoever
// asks. Thread-safe but for its loops.
struct event_services {
    struct dependencies {
        muster::ledger& ledger;
        const fleet::system_cache& systems;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit event_services(const dependencies& deps)
        : log(deps.ledger, deps.clock),
          watcher(deps.ledger, deps.clock, {}),
          writer(log, deps.log),
          names(deps.systems) {}

    void start(runtime::task_group& loops) {
        loops.spawn("write events", writer.run());
        loops.spawn("notify event watchers", watcher.follow_events());
        loops.spawn("notify result watchers", watcher.follow_returns());
    }
    void export_metrics(runtime::metrics& metrics) const {
        metrics.watch_counter(
            {"muster_events_dropped_total",
             "Total number of events that were dropped without being recorded."},
            [this] { return static_cast<double>(writer.dropped()); });
    }

    event_log log;
    event_watcher watcher;
    event_writer writer;
    fleet_system_names names;
};

}  // namespace muster::events

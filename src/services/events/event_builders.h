#pragma once

#include "core/model/event.h"
#include "core/windows/overrun.h"
#include "services/cluster/topology.h"
#include "services/windows/window_snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

// Builds events from records of other services. Event ids depend on the records only, so that every
// server builds the same event from the same record.
namespace muster::events {

// Events for node states and zone freezes that began at `since` or later.
std::vector<event_record> build_node_events(const cluster::topology& topology, wall_time since);

// Events for calendars and maintenance schedules that were changed or removed at `since` or later.
std::vector<event_record> build_window_events(
    const windows::window_snapshot& snapshot, wall_time since);

// One event per window, with the first job that was seen.
event_record build_overrun_event(const windows::overrun& overrun, std::uint64_t systems);

}  // namespace muster::events

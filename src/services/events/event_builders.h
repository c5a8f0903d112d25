#pragma once

#include "core/model/event.h"
#include "core/windows/overrun.h"
#include "services/cluster/topology.h"
#include "services/windows/window_snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

// What is told of records that are kept elsewhere. Names come from the records alone, so that every
// server that reads the same record tells the same event.
namespace muster::events {

// The state that each node is in, and each zone that is held, since `since` or later.
std::vector<event_record> node_notices(const cluster::topology& topology, wall_time since);

// Calendars and maintenance schedules that changed, or were removed, at `since` or later.
std::vector<event_record> window_notices(
    const windows::window_snapshot& window_snapshot, wall_time since);

// One for a window, whichever job was seen first.
event_record overrun_notice(const windows::overrun& overrun, std::uint64_t systems);

}  // namespace muster::events

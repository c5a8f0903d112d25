#pragma once

#include "core/model/event.h"
#include "services/revision/edit_state_snapshot.h"

#include <string>
#include <vector>

namespace muster::revision {

// Builds the events for the changes between two snapshots. Every server builds the same event ids,
// so each event is recorded once.
std::vector<event_record> build_edit_events(
    const edit_state_snapshot& before, const edit_state_snapshot& after, wall_time now);

// The event of a server whose common data has drifted, or is correct again.
event_record build_drift_event(
    const std::string& server, bool healed, const std::vector<std::string>& sections, wall_time at);

}  // namespace muster::revision

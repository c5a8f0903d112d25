#pragma once

#include "core/model/event.h"
#include "services/revision/edit_state_snapshot.h"

#include <string>
#include <vector>

namespace muster::revision {

// What happened from one view to the next, as events. Every server that sees it gives it the same
// name, so that it is on record once.
std::vector<event_record> notices_of(
    const edit_state_snapshot& before, const edit_state_snapshot& after, wall_time now);

// A server that holds something else than it should, and one that is well again.
event_record drift_notice(
    const std::string& server, bool healed, const std::vector<std::string>& sections, wall_time at);

}  // namespace muster::revision

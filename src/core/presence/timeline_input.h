#pragma once

#include "core/presence/presence_timeline.h"

#include <optional>
#include <vector>

namespace muster::presence::history {

// A chapter among its node's others.
struct ordered_period {
    chapter what;
    bool begins = true;        // it does not go on from one before it
    bool same_start = false;   // and yet the node's process was there before
    std::optional<claim> end;  // nothing goes on from it: silent or stopped
};

// So long nothing need be heard of a node before it counts as silent.
inline constexpr auto silence_max = std::chrono::minutes(1);

// Those that bear on the time from `since` on: of each node the ones that begin in it, and the one
// before, which may have ended in silence.
std::vector<chapter> bearing_on(std::vector<chapter> chapters, wall_time since);

// In the order of nodes and times. `now` is when the record was read.
std::vector<ordered_period> place(std::vector<chapter> chapters, wall_time now);

// What chapters, changes and marks say of one system.
statement beginning_of(const ordered_period& where, bool present);
std::optional<statement> end_of(const ordered_period& where);
// Nothing happened before its chapter began, whatever an agent's node noted late.
statement said_by(const change& change, system_number system, wall_time chapter_opened);
statement said_by(const mark& mark);

}  // namespace muster::presence::history

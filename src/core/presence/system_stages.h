#pragma once

#include "core/presence/presence_timeline.h"

#include <optional>
#include <string_view>
#include <vector>

namespace muster::presence::history {

// What its record says of a system's life.
struct milestones {
    wall_time enrolled;
    std::optional<wall_time> accepted;
    std::optional<wall_time> deleted;
};

enum class system_stage : std::uint8_t { unknown, fresh, onboarded, orphan, deleted };

std::string_view to_string(system_stage state);  // "new" for fresh

// What a system was for a while.
struct stage {
    wall_time from;
    wall_time until;
    system_stage state = system_stage::unknown;
    node_number node;  // as a segment has it
    session::reason why = session::reason::unknown;

    friend bool operator==(const stage&, const stage&) = default;
};

// The line within the life: new until it was accepted, deleted from then on, and nothing before it
// enrolled. `line` may be empty when it lies outside of what counts.
std::vector<stage> stages_of(
    const std::vector<segment>& presence_timeline,
    const milestones& life,
    wall_time since,
    wall_time until);

}  // namespace muster::presence::history

#pragma once

#include "core/presence/presence_timeline.h"

#include <optional>
#include <string_view>
#include <vector>

namespace muster::presence::history {

// Enrolment times of a system, from its record.
struct milestones {
    wall_time enrolled;
    std::optional<wall_time> accepted;
    std::optional<wall_time> deleted;
};

enum class system_stage : std::uint8_t { unknown, fresh, onboarded, orphan, deleted };

std::string_view to_string(system_stage state);  // "new" for fresh

// The stage of a system over a time.
struct stage_period {
    wall_time from;
    wall_time until;
    system_stage state = system_stage::unknown;
    node_number node;  // as in the segment
    session::reason why = session::reason::unknown;

    friend bool operator==(const stage_period&, const stage_period&) = default;
};

// Combines the timeline with the enrolment: new until accepted, then by attachment, and deleted at
// the end. Nothing before the enrolment. `timeline` may be empty.
std::vector<stage_period> stages_of(
    const std::vector<segment>& timeline,
    const milestones& milestones,
    wall_time since,
    wall_time until);

}  // namespace muster::presence::history

#include "core/presence/system_stages.h"

#include <algorithm>

namespace muster::presence::history {
namespace {

system_stage to_system_stage(attachment_state state) {
    switch (state) {
        case attachment_state::unknown:
            return system_stage::unknown;
        case attachment_state::attached:
            return system_stage::onboarded;
        case attachment_state::away:
            return system_stage::orphan;
    }
    return system_stage::unknown;
}

}  // namespace

std::string_view to_string(system_stage state) {
    switch (state) {
        case system_stage::unknown:
            return "unknown";
        case system_stage::fresh:
            return "new";
        case system_stage::onboarded:
            return "onboarded";
        case system_stage::orphan:
            return "orphan";
        case system_stage::deleted:
            return "deleted";
    }
    return "unknown";
}

std::vector<stage_period> stages_of(
    const std::vector<segment>& timeline,
    const milestones& milestones,
    wall_time since,
    wall_time until) {
    std::vector<stage_period> stages;
    const auto add = [&](stage_period period) {
        period.from = std::max({period.from, since, milestones.enrolled});
        period.until = std::min(period.until, until);
        if (period.from < period.until) stages.push_back(period);
    };
    const auto end = milestones.deleted.value_or(until);
    const auto accepted = std::min(milestones.accepted.value_or(end), end);
    add({.from = milestones.enrolled, .until = accepted, .state = system_stage::fresh});
    for (const auto& segment : timeline)
        add(
            {.from = std::max(segment.from, accepted),
             .until = std::min(segment.until, end),
             .state = to_system_stage(segment.state),
             .node = segment.node,
             .why = segment.why});
    add({.from = end, .until = until, .state = system_stage::deleted});
    return stages;
}

}  // namespace muster::presence::history

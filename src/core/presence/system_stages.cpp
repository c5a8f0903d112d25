#include "core/presence/system_stages.h"

#include <algorithm>

namespace muster::presence::history {
namespace {

system_stage standing_of(attachment_state where) {
    switch (where) {
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

std::vector<stage> stages_of(
    const std::vector<segment>& presence_timeline,
    const milestones& life,
    wall_time since,
    wall_time until) {
    std::vector<stage> stages;
    const auto add = [&](stage next) {
        next.from = std::max({next.from, since, life.enrolled});
        next.until = std::min(next.until, until);
        if (next.from < next.until) stages.push_back(next);
    };
    const auto end = life.deleted.value_or(until);
    const auto accepted = std::min(life.accepted.value_or(end), end);
    add({.from = life.enrolled, .until = accepted, .state = system_stage::fresh});
    for (const auto& each : presence_timeline)
        add(
            {.from = std::max(each.from, accepted),
             .until = std::min(each.until, end),
             .state = standing_of(each.where),
             .node = each.node,
             .why = each.why});
    add({.from = end, .until = until, .state = system_stage::deleted});
    return stages;
}

}  // namespace muster::presence::history

#include "core/presence/life.h"

#include <algorithm>

namespace muster::presence::history {
namespace {

standing standing_of(whereabouts where) {
    switch (where) {
        case whereabouts::unknown:
            return standing::unknown;
        case whereabouts::attached:
            return standing::onboarded;
        case whereabouts::away:
            return standing::orphan;
    }
    return standing::unknown;
}

}  // namespace

std::string_view to_string(standing state) {
    switch (state) {
        case standing::unknown:
            return "unknown";
        case standing::fresh:
            return "new";
        case standing::onboarded:
            return "onboarded";
        case standing::orphan:
            return "orphan";
        case standing::deleted:
            return "deleted";
    }
    return "unknown";
}

std::vector<stage> stages_of(
    const std::vector<segment>& line, const milestones& life, wall_time since, wall_time until) {
    std::vector<stage> made;
    const auto add = [&](stage next) {
        next.from = std::max({next.from, since, life.enrolled});
        next.until = std::min(next.until, until);
        if (next.from < next.until) made.push_back(next);
    };
    const auto end = life.deleted.value_or(until);
    const auto accepted = std::min(life.accepted.value_or(end), end);
    add({.from = life.enrolled, .until = accepted, .state = standing::fresh});
    for (const auto& each : line)
        add(
            {.from = std::max(each.from, accepted),
             .until = std::min(each.until, end),
             .state = standing_of(each.where),
             .node = each.node,
             .why = each.why});
    add({.from = end, .until = until, .state = standing::deleted});
    return made;
}

}  // namespace muster::presence::history

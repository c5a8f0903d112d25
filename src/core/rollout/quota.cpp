#include "core/rollout/quota.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::rollout {
namespace {

constexpr std::uint64_t milli = 1000;

grant record_of(const node_view& node) {
    return node.record.value_or(grant{});
}

// A node that said nothing yet keeps what it has: it may be about to use it.
std::uint64_t places_wanted(const node_view& node) {
    if (node.gone) return 0;
    if (!node.report) return record_of(node).goal.places;
    return node.report->used + node.report->startable;
}

bool starts_wanted(const node_view& node, std::uint64_t places) {
    if (node.gone || places == 0) return false;
    if (!node.report) return record_of(node).goal.starts_milli > 0;
    return node.report->startable > 0;
}

// What remains of a limit when the ceilings of those who are gone are taken off.
std::uint64_t left_for_the_living(
    std::uint64_t limit, const std::vector<node_view>& nodes, const std::vector<grant>& next) {
    std::uint64_t held = 0;
    for (std::size_t at = 0; at < nodes.size(); ++at)
        if (nodes[at].gone) held += next[at].ceiling.places;
    return limit - std::min(limit, held);
}

std::vector<std::uint64_t> place_goals(
    std::uint64_t limit, const std::vector<node_view>& nodes, const std::vector<grant>& next) {
    std::vector<claim> claims;
    for (const node_view& node : nodes)
        claims.push_back({.wanted = places_wanted(node), .had = record_of(node).goal.places});
    return split(left_for_the_living(limit, nodes, next), claims);
}

// In whole starts a second, so that no node gets a rate that is mostly waiting; below one a second
// a single node has it all.
std::vector<std::uint64_t> start_goals(
    std::uint64_t limit,
    const std::vector<node_view>& nodes,
    const std::vector<std::uint64_t>& places) {
    const std::uint64_t units = std::max<std::uint64_t>(1, limit / milli);
    std::vector<claim> claims;
    for (std::size_t at = 0; at < nodes.size(); ++at)
        claims.push_back(
            {.wanted = starts_wanted(nodes[at], places[at]) ? units : 0,
             .had = record_of(nodes[at]).goal.starts_milli});
    auto goals = split(units, claims);
    for (std::uint64_t& goal : goals) goal = goal * limit / units;
    return goals;
}

// The largest part that everybody can have who wants as much.
std::uint64_t fair_level(std::uint64_t total, const std::vector<claim>& claims) {
    std::vector<std::uint64_t> wishes;
    for (const claim& each : claims) wishes.push_back(each.wanted);
    std::ranges::sort(wishes);
    std::uint64_t left = total;
    std::uint64_t level = 0;
    for (std::size_t at = 0; at < wishes.size(); ++at) {
        level = left / (wishes.size() - at);
        if (wishes[at] > level) return level;
        left -= wishes[at];
        level = wishes[at];
    }
    return level;
}

using part = std::uint64_t allowance::*;

// Moves one kind of allowance towards its goals: down is asked for, up takes only what is free.
void move_towards(
    part of,
    std::uint64_t limit,
    const std::vector<std::uint64_t>& goals,
    std::vector<grant>& next) {
    std::uint64_t charged = 0;
    for (const grant& each : next) charged += each.ceiling.*of;
    std::uint64_t free = limit - std::min(limit, charged);
    for (std::size_t at = 0; at < next.size(); ++at) {
        grant& each = next[at];
        if (goals[at] > each.ceiling.*of) {
            const std::uint64_t raise = std::min(free, goals[at] - each.ceiling.*of);
            free -= raise;
            each.ceiling.*of += raise;
        }
        each.goal.*of = std::min(goals[at], each.ceiling.*of);
    }
}

// What was found out about tasks in flight on others; of those who are gone it is all they hold.
void settle(const std::vector<node_view>& nodes, std::vector<grant>& next) {
    if (!complete(nodes)) return;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        grant& each = next[at];
        const std::uint64_t elsewhere = in_flight_elsewhere(nodes[at].node, nodes);
        if (!nodes[at].record && elsewhere == 0) continue;
        const bool waits = nodes[at].report && nodes[at].report->unsettled > each.epoch;
        if (elsewhere != each.elsewhere || waits) {
            each.elsewhere = elsewhere;
            each.epoch = nodes[at].epoch;
        }
        if (!nodes[at].gone) continue;
        each.ceiling.places = std::min(each.ceiling.places, elsewhere);
        each.ceiling.starts_milli = 0;
    }
}

// Who has no record was never allowed to start anything: nothing of it is in flight anywhere, and
// nobody else's report is needed to know that. It is so for the slot table that the node knows, not
// for a newer one: until it hears of that, it starts tasks in slots that are no longer its own.
void date_new_records(const std::vector<node_view>& nodes, std::vector<grant>& next) {
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (nodes[at].record || next[at] == grant{}) continue;
        const auto existing = nodes[at].report ? nodes[at].report->epoch : 0;
        next[at].epoch = std::max(next[at].epoch, std::min(existing, nodes[at].epoch));
    }
}

}  // namespace

bool complete(const std::vector<node_view>& nodes) {
    return std::ranges::all_of(nodes, [](const node_view& node) {
        return !node.owns_slots || (node.report && node.report->epoch >= node.changed);
    });
}

std::uint64_t in_flight_elsewhere(const node_id& starter, const std::vector<node_view>& nodes) {
    std::uint64_t sum = 0;
    for (const node_view& node : nodes) {
        if (node.node == starter || !node.owns_slots || !node.report) continue;
        const auto charged = node.report->charged.find(starter);
        if (charged != node.report->charged.end()) sum += charged->second;
    }
    return sum;
}

share_report outline(share_report response, const node_id& by, const cluster_limits& limits) {
    const std::uint64_t wish =
        std::min(response.used + response.startable, limits.places.value_or(0));
    share_report stored{.epoch = response.epoch, .unsettled = response.unsettled};
    stored.startable = std::min<std::uint64_t>(response.startable, 1);
    stored.used = wish - std::min(wish, stored.startable);
    stored.charged = std::move(response.charged);
    stored.charged.erase(by);
    return stored;
}

std::vector<grant_change> plan_grants(
    const cluster_limits& limits, const std::vector<node_view>& nodes, std::size_t changes_max) {
    std::vector<grant> next;
    for (const node_view& node : nodes) {
        MUSTER_ASSERT(!(node.gone && node.owns_slots));
        next.push_back(record_of(node));
    }
    settle(nodes, next);
    std::vector<std::uint64_t> places(nodes.size(), UINT64_MAX);
    if (limits.places) {
        places = place_goals(*limits.places, nodes, next);
        move_towards(&allowance::places, *limits.places, places, next);
    }
    if (limits.starts_milli) {
        const auto starts = start_goals(*limits.starts_milli, nodes, places);
        move_towards(&allowance::starts_milli, *limits.starts_milli, starts, next);
    }
    date_new_records(nodes, next);
    // What those who are gone give back comes first: the others' raises may rest on it.
    std::vector<grant_change> changes;
    for (const bool gone : {true, false})
        for (std::size_t at = 0; at < nodes.size(); ++at)
            if (nodes[at].gone == gone && next[at] != record_of(nodes[at]))
                changes.push_back({nodes[at].node, next[at]});
    if (changes.size() > changes_max)
        changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(changes_max), changes.end());
    return changes;
}

std::vector<std::uint64_t> split(std::uint64_t total, const std::vector<claim>& claims) {
    const std::uint64_t level = fair_level(total, claims);
    std::vector<std::uint64_t> parts;
    std::vector<std::size_t> wanting;
    std::uint64_t left = total;
    for (std::size_t at = 0; at < claims.size(); ++at) {
        parts.push_back(std::min(claims[at].wanted, level));
        left -= parts.back();
        if (claims[at].wanted > level) wanting.push_back(at);
    }
    std::ranges::sort(wanting, [&claims](std::size_t value, std::size_t other) {
        return std::pair(claims[other].had, value) < std::pair(claims[value].had, other);
    });
    for (std::size_t each = 0; each < std::min<std::size_t>(left, wanting.size()); ++each)
        ++parts[wanting[each]];
    return parts;
}

}  // namespace muster::rollout

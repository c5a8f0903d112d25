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

// A node without a report keeps its goal, because it may be about to use it.
std::uint64_t desired_concurrency(const node_view& node) {
    if (node.gone) return 0;
    if (!node.report) return record_of(node).goal.concurrency;
    return node.report->used + node.report->startable;
}

bool wants_starts(const node_view& node, std::uint64_t concurrency) {
    if (node.gone || concurrency == 0) return false;
    if (!node.report) return record_of(node).goal.starts_milli > 0;
    return node.report->startable > 0;
}

// The part of a limit that is not held by nodes that are gone.
std::uint64_t remaining_limit(
    std::uint64_t limit, const std::vector<node_view>& nodes, const std::vector<grant>& next) {
    std::uint64_t held = 0;
    for (std::size_t index = 0; index < nodes.size(); ++index)
        if (nodes[index].gone) held += next[index].ceiling.concurrency;
    return limit - std::min(limit, held);
}

std::vector<std::uint64_t> concurrency_goals(
    std::uint64_t limit, const std::vector<node_view>& nodes, const std::vector<grant>& next) {
    std::vector<demand> demands;
    for (const node_view& node : nodes)
        demands.push_back(
            {.amount = desired_concurrency(node), .current = record_of(node).goal.concurrency});
    return split(remaining_limit(limit, nodes, next), demands);
}

// Splits the rate in whole starts a second, so that no node has a rate below that. A rate below one
// start a second goes to a single node.
std::vector<std::uint64_t> start_goals(
    std::uint64_t limit,
    const std::vector<node_view>& nodes,
    const std::vector<std::uint64_t>& concurrency) {
    const std::uint64_t units = std::max<std::uint64_t>(1, limit / milli);
    std::vector<demand> demands;
    for (std::size_t index = 0; index < nodes.size(); ++index)
        demands.push_back(
            {.amount = wants_starts(nodes[index], concurrency[index]) ? units : 0,
             .current = record_of(nodes[index]).goal.starts_milli});
    auto goals = split(units, demands);
    for (std::uint64_t& goal : goals) goal = goal * limit / units;
    return goals;
}

// The largest part that every demand of at least that size can get.
std::uint64_t fair_level(std::uint64_t total, const std::vector<demand>& demands) {
    std::vector<std::uint64_t> amounts;
    for (const demand& demand : demands) amounts.push_back(demand.amount);
    std::ranges::sort(amounts);
    std::uint64_t remaining = total;
    std::uint64_t level = 0;
    for (std::size_t index = 0; index < amounts.size(); ++index) {
        level = remaining / (amounts.size() - index);
        if (amounts[index] > level) return level;
        remaining -= amounts[index];
        level = amounts[index];
    }
    return level;
}

using allowance_field = std::uint64_t allowance::*;

// Moves one field of the grants towards its goals. Only the node lowers its ceiling; a raise takes
// only what is free.
void move_towards(
    allowance_field field,
    std::uint64_t limit,
    const std::vector<std::uint64_t>& goals,
    std::vector<grant>& grants) {
    std::uint64_t charged = 0;
    for (const grant& record : grants) charged += record.ceiling.*field;
    std::uint64_t free = limit - std::min(limit, charged);
    for (std::size_t index = 0; index < grants.size(); ++index) {
        grant& record = grants[index];
        if (goals[index] > record.ceiling.*field) {
            const std::uint64_t raise = std::min(free, goals[index] - record.ceiling.*field);
            free -= raise;
            record.ceiling.*field += raise;
        }
        record.goal.*field = std::min(goals[index], record.ceiling.*field);
    }
}

// Updates the counts of tasks in flight on other nodes. A node that is gone holds nothing else.
void update_elsewhere(const std::vector<node_view>& nodes, std::vector<grant>& grants) {
    if (!is_complete(nodes)) return;
    for (std::size_t index = 0; index < nodes.size(); ++index) {
        grant& record = grants[index];
        const std::uint64_t elsewhere = in_flight_elsewhere(nodes[index].node, nodes);
        if (!nodes[index].record && elsewhere == 0) continue;
        const bool is_waiting =
            nodes[index].report && nodes[index].report->unsettled_epoch > record.epoch;
        if (elsewhere != record.elsewhere || is_waiting) {
            record.elsewhere = elsewhere;
            record.epoch = nodes[index].epoch;
        }
        if (!nodes[index].gone) continue;
        record.ceiling.concurrency = std::min(record.ceiling.concurrency, elsewhere);
        record.ceiling.starts_milli = 0;
    }
}

// Sets the epoch of new records. A node without a record never started a task, so none is in flight
// on other nodes. That holds for the slot table that the node knows, not for a newer one: until
// the node reads the newer table, it may start tasks in slots that it has lost.
void set_new_epochs(const std::vector<node_view>& nodes, std::vector<grant>& grants) {
    for (std::size_t index = 0; index < nodes.size(); ++index) {
        if (nodes[index].record || grants[index] == grant{}) continue;
        const auto reported_epoch = nodes[index].report ? nodes[index].report->epoch : 0;
        grants[index].epoch =
            std::max(grants[index].epoch, std::min(reported_epoch, nodes[index].epoch));
    }
}

}  // namespace

bool is_complete(const std::vector<node_view>& nodes) {
    return std::ranges::all_of(nodes, [](const node_view& node) {
        return !node.owns_slots || (node.report && node.report->epoch >= node.slots_changed);
    });
}

std::uint64_t in_flight_elsewhere(const node_id& starter, const std::vector<node_view>& nodes) {
    std::uint64_t sum = 0;
    for (const node_view& node : nodes) {
        if (node.node == starter || !node.owns_slots || !node.report) continue;
        const auto it = node.report->charged.find(starter);
        if (it != node.report->charged.end()) sum += it->second;
    }
    return sum;
}

share_report summarize(share_report report, const node_id& node, const cluster_limits& limits) {
    const std::uint64_t desired =
        std::min(report.used + report.startable, limits.concurrency.value_or(0));
    share_report stored{.epoch = report.epoch, .unsettled_epoch = report.unsettled_epoch};
    stored.startable = std::min<std::uint64_t>(report.startable, 1);
    stored.used = desired - std::min(desired, stored.startable);
    stored.charged = std::move(report.charged);
    stored.charged.erase(node);
    return stored;
}

std::vector<grant_change> plan_grants(
    const cluster_limits& limits, const std::vector<node_view>& nodes, std::size_t changes_max) {
    std::vector<grant> grants;
    for (const node_view& node : nodes) {
        MUSTER_ASSERT(!(node.gone && node.owns_slots));
        grants.push_back(record_of(node));
    }
    update_elsewhere(nodes, grants);
    std::vector<std::uint64_t> concurrency(nodes.size(), UINT64_MAX);
    if (limits.concurrency) {
        concurrency = concurrency_goals(*limits.concurrency, nodes, grants);
        move_towards(&allowance::concurrency, *limits.concurrency, concurrency, grants);
    }
    if (limits.starts_milli) {
        const auto start_rates = start_goals(*limits.starts_milli, nodes, concurrency);
        move_towards(&allowance::starts_milli, *limits.starts_milli, start_rates, grants);
    }
    set_new_epochs(nodes, grants);
    // Nodes that are gone come first, because the raises of the others may use what they release.
    std::vector<grant_change> changes;
    for (const bool gone : {true, false})
        for (std::size_t index = 0; index < nodes.size(); ++index)
            if (nodes[index].gone == gone && grants[index] != record_of(nodes[index]))
                changes.push_back({nodes[index].node, grants[index]});
    if (changes.size() > changes_max)
        changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(changes_max), changes.end());
    return changes;
}

std::vector<std::uint64_t> split(std::uint64_t total, const std::vector<demand>& demands) {
    const std::uint64_t level = fair_level(total, demands);
    std::vector<std::uint64_t> parts;
    std::vector<std::size_t> unmet;
    std::uint64_t remaining = total;
    for (std::size_t index = 0; index < demands.size(); ++index) {
        parts.push_back(std::min(demands[index].amount, level));
        remaining -= parts.back();
        if (demands[index].amount > level) unmet.push_back(index);
    }
    std::ranges::sort(unmet, [&demands](std::size_t left, std::size_t right) {
        return std::pair(demands[right].current, left) < std::pair(demands[left].current, right);
    });
    for (std::size_t index = 0; index < std::min<std::size_t>(remaining, unmet.size()); ++index)
        ++parts[unmet[index]];
    return parts;
}

}  // namespace muster::rollout

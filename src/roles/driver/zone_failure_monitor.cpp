#include "roles/driver/zone_failure_monitor.h"

#include "base/assert.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace muster::driver {
namespace {

using membership::node_state;

// Those whose absence means something. A faulty node is out until it is onboarded again.
bool is_member(const cluster::node_record& node) {
    return membership::is_member(node.state);
}

placement::member_state standing_of(const cluster::node_record& node) {
    // A suspect may be back any moment; an offline one said that it will be.
    if (node.state == node_state::suspect) return placement::member_state::away;
    if (node.leaving) return placement::member_state::leaving;
    return node.state == node_state::offline ? placement::member_state::away
                                             : placement::member_state::serving;
}

}  // namespace

std::map<std::string, zone_nodes> nodes_by_zone(const cluster::topology& topology) {
    std::map<std::string, zone_nodes> zones;
    for (const auto& [name, node] : topology.nodes) {
        if (!node.zone.empty()) zones[node.zone].push_back(&node);
    }
    return zones;
}

bool is_there(const cluster::topology& topology, const cluster::node_record& node) {
    const auto server = topology.servers.find(node.name);
    return server != topology.servers.end() && server->second.instance == node.instance;
}

bool zone_failure_monitor::up_to_date(const cluster::topology& topology) const {
    return std::ranges::all_of(
        written_, [&](const auto& each) { return each.second <= topology.at; });
}

void zone_failure_monitor::take_up(
    const cluster::topology& topology, const zone_nodes& own, instant now) {
    for (const auto* each : own) {
        const cluster::node_record& node = *each;
        if (!is_member(node)) continue;
        const auto written = written_.find(node.number);
        if (written != written_.end() && written->second > topology.at) continue;
        const auto state = detector_.state_of(node.number);
        if (state == node.state) continue;
        const bool verdict_failed =
            state == node_state::faulty && node.state == node_state::suspect;
        if (verdict_failed) {
            detector_.take_back(node.number, node.state);
            continue;
        }
        if (!state) members_.push_back(node.number);
        detector_.enter(node.number, node.state, now);
    }
}

void zone_failure_monitor::drop_others(const cluster::topology& topology) {
    std::erase_if(members_, [&](node_number number) {
        const auto* node = topology.find_node(number);
        const auto written = written_.find(number);
        if (written != written_.end() && written->second > topology.at) return false;
        if (node != nullptr && node->zone == zone_ && is_member(*node)) return false;
        detector_.leave(number);
        written_.erase(number);
        return true;
    });
}

membership::effects zone_failure_monitor::look(
    const cluster::topology& topology, const zone_nodes& own, instant now) {
    drop_others(topology);
    take_up(topology, own, now);
    membership::effects all;
    for (const node_number number : members_) {
        const auto* node = topology.find_node(number);
        if (node == nullptr) continue;
        // An offline node comes back by its own word only: while it stops it is still listed.
        const auto state = detector_.state_of(number);
        membership::effects some;
        if (state == node_state::serving && !is_there(topology, *node))
            some = detector_.lease_lost(number, now);
        if (state == node_state::suspect && is_there(topology, *node))
            some = detector_.lease_held(number, now);
        std::ranges::move(some, std::back_inserter(all));
    }
    std::ranges::move(detector_.expire(now), std::back_inserter(all));
    tell_hold(topology, all);
    return all;
}

// Nodes are looked at one after the other, so a hold may come and go within one look: only what it
// has come to is told. One that did not come on record is told again.
void zone_failure_monitor::tell_hold(const cluster::topology& topology, membership::effects& all) {
    std::erase_if(all, [this](const membership::effect& effect) {
        const auto* raised = std::get_if<membership::raise_hold>(&effect);
        if (raised != nullptr) hold_ = *raised;
        return raised != nullptr || std::holds_alternative<membership::lift_hold>(effect);
    });
    const bool unrecorded =
        detector_.holding() && !topology.holds.contains(zone_) && hold_noted_ <= topology.at;
    if (told_hold_ == detector_.holding() && !unrecorded) return;
    told_hold_ = detector_.holding();
    if (told_hold_) {
        all.emplace_back(hold_);
    } else {
        all.emplace_back(membership::lift_hold());
    }
}

void zone_failure_monitor::probed(node_number suspect, bool reachable, instant now) {
    const auto none = detector_.probed(suspect, reachable, now);
    MUSTER_ASSERT(none.empty());  // a probe only moves the suspect's deadline
}

std::vector<placement::member> members_of(
    const zone_nodes& nodes, const std::map<node_number, std::uint64_t>& capacities) {
    std::vector<placement::member> members;
    for (const auto* node : nodes) {
        if (!is_member(*node)) continue;
        const auto measured = capacities.find(node->number);
        members.push_back(
            {.node = node->number,
             .stands = standing_of(*node),
             .capacity = measured == capacities.end() ? placement::capacity_gauge::median_capacity
                                                      : measured->second,
             .load_max = node->systems_max > 0 ? static_cast<std::uint64_t>(node->systems_max)
                                               : UINT64_MAX});
    }
    return members;
}

}  // namespace muster::driver

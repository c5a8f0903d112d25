#include "roles/driver/zone_failure_monitor.h"

#include "base/assert.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace muster::driver {
namespace {

using membership::node_state;

// Members are nodes whose absence matters. A faulty node is out until it is accepted again.
bool is_member(const cluster::node_record& node) {
    return membership::is_member(node.state);
}

placement::member_state member_state_of(const cluster::node_record& node) {
    // A suspect may return at any moment; an offline node announced its return.
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

bool is_online(const cluster::topology& topology, const cluster::node_record& node) {
    const auto server = topology.servers.find(node.name);
    return server != topology.servers.end() && server->second.instance == node.instance;
}

bool zone_failure_monitor::is_up_to_date(const cluster::topology& topology) const {
    return std::ranges::all_of(
        written_revisions_, [&](const auto& entry) { return entry.second <= topology.revision; });
}

void zone_failure_monitor::update_members(
    const cluster::topology& topology, const zone_nodes& nodes, instant now) {
    for (const auto* zone_node : nodes) {
        const cluster::node_record& node = *zone_node;
        if (!is_member(node)) continue;
        const auto written = written_revisions_.find(node.number);
        if (written != written_revisions_.end() && written->second > topology.revision) continue;
        const auto state = detector_.state_of(node.number);
        if (state == node.state) continue;
        const bool write_failed = state == node_state::faulty && node.state == node_state::suspect;
        if (write_failed) {
            detector_.restore_state(node.number, node.state);
            continue;
        }
        if (!state) members_.push_back(node.number);
        detector_.add_member(node.number, node.state, now);
    }
}

void zone_failure_monitor::remove_members(const cluster::topology& topology) {
    std::erase_if(members_, [&](node_number number) {
        const auto* node = topology.find_node(number);
        const auto written = written_revisions_.find(number);
        if (written != written_revisions_.end() && written->second > topology.revision)
            return false;
        if (node != nullptr && node->zone == zone_ && is_member(*node)) return false;
        detector_.remove_member(number);
        written_revisions_.erase(number);
        return true;
    });
}

membership::effects zone_failure_monitor::check(
    const cluster::topology& topology, const zone_nodes& nodes, instant now) {
    remove_members(topology);
    update_members(topology, nodes, now);
    membership::effects effects;
    for (const node_number number : members_) {
        const auto* node = topology.find_node(number);
        if (node == nullptr) continue;
        // An offline node must report its return itself: its server is still registered while it
        // stops.
        const auto state = detector_.state_of(number);
        membership::effects node_effects;
        if (state == node_state::serving && !is_online(topology, *node))
            node_effects = detector_.on_lease_lost(number, now);
        if (state == node_state::suspect && is_online(topology, *node))
            node_effects = detector_.on_lease_held(number, now);
        std::ranges::move(node_effects, std::back_inserter(effects));
    }
    std::ranges::move(detector_.expire(now), std::back_inserter(effects));
    update_hold(topology, effects);
    return effects;
}

// Nodes are checked one after the other, so a hold may start and end within one check. Only the
// final state becomes an effect. A hold that was not recorded is repeated.
void zone_failure_monitor::update_hold(
    const cluster::topology& topology, membership::effects& effects) {
    std::erase_if(effects, [this](const membership::effect& effect) {
        const auto* raised = std::get_if<membership::freeze_zone>(&effect);
        if (raised != nullptr) hold_ = *raised;
        return raised != nullptr || std::holds_alternative<membership::unfreeze_zone>(effect);
    });
    const bool unrecorded = detector_.is_frozen() && !topology.freezes.contains(zone_)
                            && hold_revision_ <= topology.revision;
    if (reported_hold_ == detector_.is_frozen() && !unrecorded) return;
    reported_hold_ = detector_.is_frozen();
    if (reported_hold_) {
        effects.emplace_back(hold_);
    } else {
        effects.emplace_back(membership::unfreeze_zone());
    }
}

void zone_failure_monitor::on_probe_result(node_number suspect, bool reachable, instant now) {
    const auto effects = detector_.on_probe_result(suspect, reachable, now);
    MUSTER_ASSERT(effects.empty());  // a probe only moves the suspect's deadline
}

std::vector<placement::member> members_of(
    const zone_nodes& nodes, const std::map<node_number, std::uint64_t>& capacities) {
    std::vector<placement::member> members;
    for (const auto* node : nodes) {
        if (!is_member(*node)) continue;
        const auto measured = capacities.find(node->number);
        members.push_back(
            {.node = node->number,
             .state = member_state_of(*node),
             .capacity = measured == capacities.end() ? placement::capacity_gauge::median_capacity
                                                      : measured->second,
             .load_max = node->systems_max > 0 ? static_cast<std::uint64_t>(node->systems_max)
                                               : UINT64_MAX});
    }
    return members;
}

}  // namespace muster::driver

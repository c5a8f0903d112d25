#include "services/cluster/topology.h"

#include "core/placement/slot_table.h"
#include "services/cluster/keys.h"

#include <algorithm>

namespace muster::cluster {

const node_record* topology::find_node(node_number node_number) const {
    const auto name = node_names.find(node_number);
    if (name == node_names.end()) return nullptr;
    const auto it = nodes.find(name->second);
    return it == nodes.end() ? nullptr : &it->second;
}

// A node with an unreadable record may belong to any zone: assume those that have slots of an
// unknown owner.
bool topology::is_readable(std::string_view zone) const {
    if (unreadable.empty()) return true;
    if (unreadable.contains(keys::zone(zone)) || unreadable.contains(keys::slot_table(zone))
        || unreadable.contains(keys::epoch(zone)))
        return false;
    const bool stale = std::ranges::any_of(nodes, [&](const auto& entry) {
        return entry.second.zone == zone && unreadable.contains(keys::node(entry.first));
    });
    if (stale) return false;
    const auto table = slots.find(zone);
    if (table == slots.end()) return true;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = table->second->at(slot(number)).owner;
        if (owner && !node_names.contains(owner)) return false;
    }
    return true;
}

topology::slot_owner topology::find_owner(std::string_view zone, slot slot) const {
    const auto table = slots.find(zone);
    if (table == slots.end()) return {};
    const auto& assignment = table->second->at(slot);
    if (!assignment.owner) return {};
    const auto* const node = find_node(assignment.owner);
    if (node == nullptr || !membership::is_member(node->state)) return {};
    const auto server = servers.find(node->name);
    return {
        .node = node,
        .server = server == servers.end() ? nullptr : &server->second,
        .since = assignment.since};
}

std::vector<endpoint> server_addresses(const topology& topology) {
    std::vector<endpoint> addresses;
    const auto add = [&addresses](const std::string& text) {
        if (auto address = parse_endpoint(text)) addresses.push_back(*std::move(address));
    };
    for (const auto& [name, server] : topology.servers) add(server.address);
    for (const auto& [name, node] : topology.nodes) add(node.address);
    return addresses;
}

}  // namespace muster::cluster

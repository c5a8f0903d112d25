#include "roles/cluster/topology.h"

namespace muster::cluster {

const node_record* topology::find_node(node_number which) const {
    const auto name = node_names.find(which);
    if (name == node_names.end()) return nullptr;
    const auto found = nodes.find(name->second);
    return found == nodes.end() ? nullptr : &found->second;
}

topology::place topology::place_of(std::string_view zone, slot which) const {
    const auto table = slots.find(zone);
    if (table == slots.end()) return {};
    const auto& held = table->second->at(which);
    if (!held.owner) return {};
    const auto* const node = find_node(held.owner);
    if (node == nullptr || !membership::is_member(node->state)) return {};
    const auto server = servers.find(node->name);
    return {
        .node = node,
        .server = server == servers.end() ? nullptr : &server->second,
        .since = held.since};
}

}  // namespace muster::cluster

#include "services/presence/missing_nodes.h"

namespace muster::presence {

std::vector<missing_node> missing_nodes(
    const cluster::topology& topology, const presence_cache& presence, instant oldest) {
    const auto node_counts = presence.by_node();
    std::vector<missing_node> missing;
    for (const auto& [name, node] : topology.nodes) {
        if (!membership::is_member(node.state)) continue;
        const auto node_count = node_counts.find(node.number);
        const bool online = topology.servers.contains(name);
        if (online && node_count != node_counts.end() && node_count->second.received >= oldest)
            continue;
        missing.push_back({.name = name, .zone = node.zone});
    }
    return missing;
}

}  // namespace muster::presence

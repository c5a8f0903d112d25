#include "services/presence/missing_nodes.h"

namespace muster::presence {

std::vector<missing_node> missing_nodes(
    const cluster::topology& topology, const presence_cache& presence_cache, instant oldest) {
    const auto counted = presence_cache.by_node();
    std::vector<missing_node> missing;
    for (const auto& [name, node] : topology.nodes) {
        if (!membership::is_member(node.state)) continue;
        const auto response = counted.find(node.number);
        const bool there = topology.servers.contains(name);
        if (there && response != counted.end() && response->second.received >= oldest) continue;
        missing.push_back({.name = name, .zone = node.zone});
    }
    return missing;
}

}  // namespace muster::presence

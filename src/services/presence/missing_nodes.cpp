#include "services/presence/missing_nodes.h"

namespace muster::presence {

std::vector<missing_node> missing_nodes(
    const cluster::topology& known, const presence& heard, instant oldest) {
    const auto counted = heard.by_node();
    std::vector<missing_node> missing;
    for (const auto& [name, node] : known.nodes) {
        if (!membership::is_member(node.state)) continue;
        const auto told = counted.find(node.number);
        const bool there = known.servers.contains(name);
        if (there && told != counted.end() && told->second.received >= oldest) continue;
        missing.push_back({.name = name, .zone = node.zone});
    }
    return missing;
}

}  // namespace muster::presence

#include "services/presence/presence_lookup.h"

#include "services/cluster/topology.h"
#include "services/presence/presence_cache.h"

#include <cstdint>
#include <vector>

namespace muster::presence {

fleet::system_set attached_among(
    const fleet::system_set& systems, const presence_lookup& presence) {
    std::vector<std::uint32_t> numbers;
    systems.for_each([&](system_number system) {
        if (presence.is_attached(system))
            numbers.push_back(static_cast<std::uint32_t>(system.value()));
    });
    return fleet::system_set::of(numbers);
}

bool cached_presence_lookup::is_attached(system_number system) const {
    return presence_.is_attached(system);
}

std::string cached_presence_lookup::node_of(system_number system) const {
    const auto last_seen = presence_.find(system);
    if (!last_seen) return {};
    const auto topology = topology_.read();
    const auto* const node = topology->find_node(last_seen->node);
    return node == nullptr ? std::string() : node->name;
}

}  // namespace muster::presence

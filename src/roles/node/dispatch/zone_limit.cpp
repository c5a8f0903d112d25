#include "roles/node/dispatch/zone_limit.h"

#include "core/placement/slot_table.h"
#include "core/rollout/zone_part.h"

#include <algorithm>
#include <map>

namespace muster::dispatch {

std::uint64_t node_points(
    const cluster::topology& topology, const std::string& node, std::uint64_t capacity) {
    const auto own = topology.nodes.find(node);
    if (own == topology.nodes.end()) return capacity;
    const auto zone = topology.zones.find(own->second.zone);
    const auto table = topology.slots.find(own->second.zone);
    if (zone == topology.zones.end() || zone->second.tasks_max <= 0
        || table == topology.slots.end())
        return capacity;
    std::map<node_number, std::uint64_t> slots;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = table->second->at(slot(number)).owner;
        if (owner) ++slots[owner];
    }
    const auto part = rollout::zone_part(
        static_cast<std::uint64_t>(zone->second.tasks_max), slots, own->second.number);
    // A node without slots starts nothing anyway.
    return std::clamp<std::uint64_t>(part, 1, capacity);
}

}  // namespace muster::dispatch

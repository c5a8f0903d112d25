#include "services/jobs/node_quota_states.h"

#include "core/placement/slot_table.h"

#include <algorithm>

namespace muster::jobs {

std::map<std::string, node_standing> take_census(const cluster::topology& of) {
    std::map<std::string, node_standing> all;
    for (const auto& [name, record] : of.nodes) {
        auto& standing = all[name];
        standing.out = !membership::is_member(record.state);
        standing.there = of.servers.contains(name);
        const auto table = of.slots.find(record.zone);
        if (table != of.slots.end()) standing.epoch = table->second->current().value();
    }
    for (const auto& [zone, table] : of.slots) {
        for (std::size_t number = 0; number < slot::count; ++number) {
            const auto& held = table->at(slot(number));
            if (!held.owner) continue;
            const auto* const node = of.find_node(held.owner);
            auto& owner =
                all[node != nullptr ? node->name : "#" + std::to_string(held.owner.value())];
            owner.owns_slots = true;
            owner.out = false;
            owner.changed = std::max(owner.changed, held.since.value());
        }
    }
    return all;
}

}  // namespace muster::jobs

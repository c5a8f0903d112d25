#include "services/jobs/node_quota_states.h"

#include "core/placement/slot_table.h"

#include <algorithm>

namespace muster::jobs {

std::map<std::string, node_quota_state> read_quota_states(const cluster::topology& topology) {
    std::map<std::string, node_quota_state> states;
    for (const auto& [name, record] : topology.nodes) {
        auto& state = states[name];
        state.gone = !membership::is_member(record.state);
        state.online = topology.servers.contains(name);
        const auto table = topology.slots.find(record.zone);
        if (table != topology.slots.end()) state.epoch = table->second->current_epoch().value();
    }
    for (const auto& [zone, table] : topology.slots) {
        for (std::size_t number = 0; number < slot::count; ++number) {
            const auto& assignment = table->at(slot(number));
            if (!assignment.owner) continue;
            const auto* const node = topology.find_node(assignment.owner);
            auto& owner = states
                [node != nullptr ? node->name : "#" + std::to_string(assignment.owner.value())];
            owner.owns_slots = true;
            owner.gone = false;
            owner.changed = std::max(owner.changed, assignment.since.value());
        }
    }
    return states;
}

}  // namespace muster::jobs

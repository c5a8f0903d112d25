#pragma once

#include "services/cluster/topology.h"

#include <cstdint>
#include <map>
#include <string>

namespace muster::jobs {

// State of a node that matters for job quotas, read from the topology.
struct node_quota_state {
    bool owns_slots = false;
    std::int64_t epoch = 0;    // of its zone's slot table
    std::int64_t changed = 0;  // the last epoch that gave it a slot
    // It serves no systems, and must be accepted again before it does.
    bool gone = false;
    bool online = false;  // its server holds a lease
};

// Returns the state of every node of the topology, by name. A slot owner without a node record gets
// a name that no node can have, so that its slots are not taken as accounted for.
std::map<std::string, node_quota_state> read_quota_states(const cluster::topology& topology);

// State of a node that is not in the topology.
inline constexpr node_quota_state removed_node{.gone = true};

}  // namespace muster::jobs

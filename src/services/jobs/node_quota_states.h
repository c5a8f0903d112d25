#pragma once

#include "services/cluster/topology.h"

#include <cstdint>
#include <map>
#include <string>

namespace muster::jobs {

// What a node is to a job's limits, by the topology.
struct node_standing {
    bool owns_slots = false;
    std::int64_t epoch = 0;    // of its zone's slot table
    std::int64_t changed = 0;  // the last epoch that gave it a slot
    // It serves nobody, and has to be taken in anew before it does again.
    bool out = false;
    bool there = false;  // its server's lease stands
};

// Every node the topology tells of, by name. An owner of slots that has no record is listed under a
// name that no node can have, so that nobody takes its slots for accounted for.
std::map<std::string, node_standing> take_census(const cluster::topology& of);

// Of a node that the topology does not tell of.
inline constexpr node_standing removed_node{.out = true};

}  // namespace muster::jobs

#pragma once

#include "services/cluster/topology.h"

#include <cstdint>
#include <string>

namespace muster::dispatch {

// The maximum of tasks in flight on a node: its own capacity, or its part of the zone's `tasks_max`
// if that is less.
std::uint64_t node_points(
    const cluster::topology& topology, const std::string& node, std::uint64_t capacity);

}  // namespace muster::dispatch

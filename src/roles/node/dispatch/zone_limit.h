#pragma once

#include "services/cluster/topology.h"

#include <cstdint>
#include <string>

namespace muster::dispatch {

// How many tasks a node may have in flight: what it can bear itself, or less if its part of what
// its zone may have (the zone's `tasks_max`) is less.
std::uint64_t points_of(
    const cluster::topology& topology, const std::string& node, std::uint64_t borne);

}  // namespace muster::dispatch

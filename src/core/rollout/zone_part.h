#pragma once

#include "core/model/node.h"

#include <cstdint>
#include <map>

namespace muster::rollout {

// One node's part of the tasks that a zone may have in flight, in proportion to its slots. Nodes
// with the same slot counts compute the same split, so they need not agree on it. The parts add up
// to the zone's limit, except that each owner has at least one, so that no system waits for ever.
std::uint64_t zone_part(
    std::uint64_t limit, const std::map<node_number, std::uint64_t>& slots, node_number node);

}  // namespace muster::rollout

#pragma once

#include "core/model/node.h"

#include <cstdint>
#include <map>

namespace muster::rollout {

// One node's part of the tasks that a zone may have in flight: by the slots it owns, which are
// dealt out by load. Everybody who knows the same owners comes to the same split, so nothing has to
// be agreed upon. The parts together are the zone's limit; but an owner has at least one, so that
// nobody's systems wait for ever.
std::uint64_t zone_part(
    std::uint64_t limit, const std::map<node_number, std::uint64_t>& slots, node_number of);

}  // namespace muster::rollout

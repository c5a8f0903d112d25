#pragma once

#include "services/cluster/topology.h"
#include "services/presence/presence_cache.h"

#include <string>
#include <vector>

namespace muster::presence {

struct missing_node {
    std::string name;
    std::string zone;

    friend bool operator==(const missing_node&, const missing_node&) = default;
};

// Member nodes whose attached systems are unknown: they are offline or sent no report since
// `oldest`. Counts of attached systems lack their part. Sorted by name.
std::vector<missing_node> missing_nodes(
    const cluster::topology& topology, const presence_cache& presence, instant oldest);

}  // namespace muster::presence

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

// The nodes that serve systems and of whom this server does not know whom they hold: they are not
// there, or nothing came of them since `oldest`. What is told of who is attached leaves out their
// part. By name.
std::vector<missing_node> missing_nodes(
    const cluster::topology& topology, const presence_cache& presence_cache, instant oldest);

}  // namespace muster::presence

#pragma once

#include "base/time.h"
#include "core/model/node.h"
#include "core/placement/capacity.h"
#include "services/cluster/topology.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace muster::driver {

// What a node last told of itself. Counts only grow, so that a lost report costs nothing.
struct load_report {
    node_number node;
    double systems = 0;
    double cpu_seconds = 0;  // since the node's process started
    double cores = 1;
    wall_time at;  // when it told so, by its own clock
};

// Makes capacities of what nodes report. Pure; lives on the driver's strand.
class capacity_estimator {
public:
    // The newest report of every node. Nodes that the topology no longer has are forgotten.
    void take(const std::vector<load_report>& load_reports, const cluster::topology& topology);

    std::map<node_number, std::uint64_t> capacities() { return gauge_.capacities(); }
    std::size_t nodes() const { return last_.size(); }  // that it remembers

private:
    placement::capacity_gauge gauge_;
    std::map<node_number, load_report> last_;
};

}  // namespace muster::driver

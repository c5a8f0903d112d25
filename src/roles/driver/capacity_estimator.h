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

// The last load report of a node. Counters only grow, so a lost report does no harm.
struct load_report {
    node_number node;
    double systems = 0;
    double cpu_seconds = 0;  // since the node's process started
    double cores = 1;
    wall_time reported_at;  // by the node's clock
};

// Estimates node capacities from load reports. Pure; not thread-safe, used on the driver's strand.
class capacity_estimator {
public:
    // Adds the newest report of every node. Forgets nodes that are not in the topology.
    void add_reports(
        const std::vector<load_report>& load_reports, const cluster::topology& topology);

    std::map<node_number, std::uint64_t> capacities() { return gauge_.capacities(); }
    std::size_t nodes() const { return last_reports_.size(); }  // with a report

private:
    placement::capacity_gauge gauge_;
    std::map<node_number, load_report> last_reports_;
};

}  // namespace muster::driver

#pragma once

#include "core/placement/planner.h"
#include "ports/async.h"
#include "roles/driver/capacity_estimator.h"
#include "services/cluster/record.h"

#include <string>
#include <vector>

namespace muster::driver {

// What the driver needs to know and does not find in the topology. Called from the driver's strand.
class driver_inputs {
public:
    virtual ~driver_inputs() = default;

    // Nothing is decided before the topology has been read whole.
    virtual bool topology_complete() const = 0;
    // The population of each slot of a zone.
    virtual placement::weights weights(const std::string& zone) const = 0;
    // The newest report of every node.
    virtual std::vector<load_report> loads() const = 0;
    // Asks a peer whether it reaches that address over HTTP. Has a deadline of its own.
    virtual async<bool> probe(cluster::server_record peer, std::string address) = 0;
};

}  // namespace muster::driver

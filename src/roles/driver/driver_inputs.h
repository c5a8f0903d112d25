#pragma once

#include "core/placement/planner.h"
#include "ports/async.h"
#include "roles/driver/capacity_estimator.h"
#include "services/cluster/record.h"

#include <string>
#include <vector>

namespace muster::driver {

// Inputs of the driver that are not in the topology. Called from the driver's strand.
class driver_inputs {
public:
    virtual ~driver_inputs() = default;

    // The driver decides nothing before the topology is read completely.
    virtual bool topology_complete() const = 0;
    // The population of each slot of a zone.
    virtual placement::weights weights(const std::string& zone) const = 0;
    // The newest report of every node.
    virtual std::vector<load_report> loads() const = 0;
    // Asks a peer whether it reaches the address over HTTP. Has its own timeout.
    virtual async<bool> probe(cluster::server_record peer, std::string address) = 0;
};

}  // namespace muster::driver

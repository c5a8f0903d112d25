#pragma once

#include "api/peer/probe_api.h"
#include "roles/driver/driver_inputs.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_follower.h"
#include "services/fleet/system_cache.h"
#include "services/presence/load_cache.h"

#include <string>
#include <vector>

namespace muster::roles {

// Provides the driver's inputs from this server's caches and from its peers.
class cluster_driver_inputs final : public driver::driver_inputs {
public:
    struct dependencies {
        const cluster::topology_follower& follower;
        const cluster::topology_cache& topology;
        const fleet::system_cache& systems;
        const presence::load_cache& loads;
        const api::probe_api& probes;
    };

    explicit cluster_driver_inputs(dependencies deps) : deps_(deps) {}

    bool topology_complete() const override;
    placement::weights weights(const std::string& zone) const override;
    std::vector<driver::load_report> loads() const override;
    async<bool> probe(cluster::server_record peer, std::string address) override;

private:
    dependencies deps_;
};

}  // namespace muster::roles

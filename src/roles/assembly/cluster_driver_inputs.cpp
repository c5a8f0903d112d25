#include "roles/assembly/cluster_driver_inputs.h"

#include <algorithm>
#include <utility>

namespace muster::roles {

// Without the population of each slot, a plan would move populated slots like empty ones.
bool cluster_driver_inputs::topology_complete() const {
    return deps_.follower.complete() && deps_.systems.complete();
}

placement::weights cluster_driver_inputs::weights(const std::string& zone) const {
    placement::weights weights{};
    std::ranges::copy(deps_.systems.population(zone), weights.begin());
    return weights;
}

std::vector<driver::load_report> cluster_driver_inputs::loads() const {
    const auto topology = deps_.topology.read();
    std::vector<driver::load_report> load_reports;
    for (const auto& [name, load] : deps_.loads.all()) {
        const auto node = topology->nodes.find(name);
        if (node == topology->nodes.end()) continue;
        load_reports.push_back(
            {.node = node->second.number,
             .systems = static_cast<double>(load.last.attached),
             .cpu_seconds = load.last.cpu_seconds,
             .cores = static_cast<double>(load.last.cores),
             .reported_at = load.last.at});
    }
    return load_reports;
}

async<bool> cluster_driver_inputs::probe(cluster::server_record peer, std::string address) {
    return deps_.probes.request_probe(std::move(peer), std::move(address));
}

}  // namespace muster::roles

#include "roles/assembly/cluster_driver_inputs.h"

#include <algorithm>
#include <utility>

namespace muster::roles {

// Without the populations of slots a plan would move inhabited ones as if they were empty.
bool cluster_driver_inputs::topology_complete() const {
    return deps_.follower.complete() && deps_.systems.complete();
}

placement::weights cluster_driver_inputs::weights(const std::string& zone) const {
    placement::weights cost{};
    std::ranges::copy(deps_.systems.population(zone), cost.begin());
    return cost;
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
             .at = load.last.at});
    }
    return load_reports;
}

async<bool> cluster_driver_inputs::probe(cluster::server_record peer, std::string address) {
    return deps_.probes.ask(std::move(peer), std::move(address));
}

}  // namespace muster::roles

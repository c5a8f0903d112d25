#pragma once

#include "core/kv/entry.h"
#include "core/membership/failure_detector.h"
#include "core/placement/capacity.h"
#include "core/placement/planner.h"
#include "services/cluster/topology.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::driver {

// The nodes of one zone in a topology, by name.
using zone_nodes = std::vector<const cluster::node_record*>;
std::map<std::string, zone_nodes> nodes_by_zone(const cluster::topology& topology);

// What the active driver knows of one zone: its failure detector, fed by what the topology says.
// Pure; lives on the driver's strand.
class zone_failure_monitor {
public:
    zone_failure_monitor(std::string zone, membership::detector_options options)
        : zone_(std::move(zone)), disaster_timeout_(options.disaster_timeout), detector_(options) {}

    // The topology as it is now, and which of its nodes are of this zone: what is to be done.
    [[nodiscard]] membership::effects look(
        const cluster::topology& topology, const zone_nodes& own, instant now);

    // The driver wrote this node's record at that revision: older topologies say nothing of it.
    void wrote(node_number node, kv::revision at) { written_[node] = at; }
    // The zone's hold was recorded at that revision; until one is, look() says it again.
    void noted_hold(kv::revision at) { hold_noted_ = at; }
    void probed(node_number suspect, bool reachable, instant now);

    monotonic::duration disaster_timeout() const { return disaster_timeout_; }
    bool holding() const { return detector_.holding(); }
    // Whether the topology shows all that the driver itself has written.
    bool up_to_date(const cluster::topology& topology) const;

private:
    void tell_hold(const cluster::topology& topology, membership::effects& all);
    void take_up(const cluster::topology& topology, const zone_nodes& own, instant now);
    void drop_others(const cluster::topology& topology);

    std::string zone_;
    monotonic::duration disaster_timeout_;
    membership::failure_detector detector_;
    std::map<node_number, kv::revision> written_;
    std::vector<node_number> members_;
    bool told_hold_ = false;
    membership::raise_hold hold_;  // as it was last raised
    kv::revision hold_noted_;
};

// Whether the server behind a node's record is there now.
bool is_there(const cluster::topology& topology, const cluster::node_record& node);

// The nodes of a zone as the planner sees them. Those given up or not yet taken in are no members.
std::vector<placement::member> members_of(
    const zone_nodes& nodes, const std::map<node_number, std::uint64_t>& capacities);

}  // namespace muster::driver

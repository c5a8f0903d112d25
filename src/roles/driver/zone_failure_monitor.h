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

// Feeds the failure detector of one zone with the topology. Pure; not thread-safe, used on the
// driver's strand.
class zone_failure_monitor {
public:
    zone_failure_monitor(std::string zone, membership::detector_options options)
        : zone_(std::move(zone)), disaster_timeout_(options.disaster_timeout), detector_(options) {}

    // Compares the topology and the zone's nodes with the detector; returns what the driver must
    // do.
    [[nodiscard]] membership::effects check(
        const cluster::topology& topology, const zone_nodes& nodes, instant now);

    // The driver wrote the node's record at this revision; older topologies are ignored for it.
    void on_state_written(node_number node, kv::revision revision) {
        written_revisions_[node] = revision;
    }
    // The zone's hold was recorded at this revision. Until then, check() repeats the effect.
    void on_hold_recorded(kv::revision revision) { hold_revision_ = revision; }
    void on_probe_result(node_number suspect, bool reachable, instant now);

    monotonic::duration disaster_timeout() const { return disaster_timeout_; }
    bool is_holding() const { return detector_.is_frozen(); }
    // Whether the topology includes all writes of the driver.
    bool is_up_to_date(const cluster::topology& topology) const;

private:
    void update_hold(const cluster::topology& topology, membership::effects& effects);
    void update_members(const cluster::topology& topology, const zone_nodes& nodes, instant now);
    void remove_members(const cluster::topology& topology);

    std::string zone_;
    monotonic::duration disaster_timeout_;
    membership::failure_detector detector_;
    std::map<node_number, kv::revision> written_revisions_;
    std::vector<node_number> members_;
    bool reported_hold_ = false;
    membership::freeze_zone hold_;  // as last raised
    kv::revision hold_revision_;
};

// Whether the server of the node record is registered now.
bool is_online(const cluster::topology& topology, const cluster::node_record& node);

// The members of a zone for the planner. Faulty and pooled nodes are not members.
std::vector<placement::member> members_of(
    const zone_nodes& nodes, const std::map<node_number, std::uint64_t>& capacities);

}  // namespace muster::driver

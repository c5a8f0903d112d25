#pragma once

#include "core/fleet/change.h"
#include "core/fleet/system_set.h"
#include "core/placement/slot_ownership_guard.h"
#include "ports/async.h"
#include "services/cluster/topology.h"
#include "services/fleet/system_cache.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace muster::dispatch {

// The systems this node acts for: accepted systems in its slots, once their former node can no
// longer act for them. Not thread-safe; call from one strand.
class owned_systems {
public:
    owned_systems(std::string node, monotonic::duration handover)
        : node_(std::move(node)), handover_(handover) {}

    struct difference {
        fleet::system_set gained;
        fleet::system_set lost;
        bool is_empty() const { return gained.empty() && lost.empty(); }
    };

    // Updates the slot owners. True: survey() must check all systems again.
    bool update_topology(const cluster::topology& topology, instant now);
    // Checks all systems, some at a time.
    async<difference> survey(const fleet::system_cache& systems, instant now);
    // Releases all systems until update_topology() finds slots of this node again.
    difference release_all();
    // Applies changed system records.
    difference on_systems_changed(std::span<const fleet::change> changes, instant now);

    const fleet::system_set& systems() const { return owned_; }
    std::int64_t epoch() const { return epoch_; }  // of the zone's slot table
    std::int64_t epoch_of(slot slot) const;
    // The newest epoch at which no slot of this node waited for its former node. nullopt before the
    // first such survey.
    std::optional<std::int64_t> complete_epoch() const { return complete_epoch_; }

private:
    bool owns(const std::string& zone, slot slot, instant now) const;
    bool owns_all_slots(instant now) const;
    difference replace(fleet::system_set systems);

    std::string node_;
    monotonic::duration handover_;
    std::string zone_;
    std::optional<placement::slot_ownership_guard> ownership_;
    node_number number_;
    std::shared_ptr<const placement::slot_table> table_;
    std::int64_t epoch_ = 0;
    std::optional<std::int64_t> complete_epoch_;
    std::optional<instant> handover_end_;  // survey again then
    fleet::system_set owned_;
};

}  // namespace muster::dispatch

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

// The systems this node acts for: the accepted ones of its zone whose slots it has while it is a
// member, once their former node cannot act for them any more. Lives on one strand.
class owned_systems {
public:
    owned_systems(std::string node, monotonic::duration handover)
        : node_(std::move(node)), handover_(handover) {}

    struct difference {
        fleet::system_set gained;
        fleet::system_set lost;
        bool empty() const { return gained.empty() && lost.empty(); }
    };

    // Who owns what by now. True: survey() has to look at all systems again.
    bool see(const cluster::topology& topology, instant now);
    // Looks at all systems, some at a time.
    async<difference> survey(const fleet::system_cache& systems, instant now);
    // Holds nothing until see() is told that it is the node's again.
    difference drop();
    // Some systems' records changed.
    difference heard_of(std::span<const fleet::change> changes, instant now);

    const fleet::system_set& held() const { return held_; }
    std::int64_t epoch() const { return epoch_; }  // of the zone's slot table
    std::int64_t epoch_of(slot slot) const;
    // Of the newest table all of whose slots of this node are among what is held: none of them
    // waits for its former node any more. Nothing before the first survey that found it so.
    std::optional<std::int64_t> whole_epoch() const { return whole_; }

private:
    bool holds(const std::string& zone, slot slot, instant now) const;
    bool acts_for_all(instant now) const;
    difference replaced_by(fleet::system_set now);

    std::string node_;
    monotonic::duration handover_;
    std::string zone_;
    std::optional<placement::slot_ownership_guard> claims_;
    node_number number_;
    std::shared_ptr<const placement::slot_table> table_;
    std::int64_t epoch_ = 0;
    std::optional<std::int64_t> whole_;
    std::optional<instant> settled_at_;  // when the last handover is over; look again then
    fleet::system_set held_;
};

}  // namespace muster::dispatch

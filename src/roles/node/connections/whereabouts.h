#pragma once

#include "core/session/judgement.h"
#include "ports/clock.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/topology.h"
#include "services/fleet/fleet.h"

#include <string>

namespace muster::node {

// What this node knows of a system and of itself, at this moment: from the records in memory, the
// topology and its own lease. Thread-safe.
class whereabouts {
public:
    struct surroundings {
        const fleet::fleet& systems;
        const cluster::topology_cell& topology;
        const cluster::lease_guard& lease;
        clock& time;
    };
    struct identity {
        std::string name;
        std::string instance;  // of another data directory under our name we are not the node
    };

    whereabouts(surroundings around, identity own) : around_(around), own_(std::move(own)) {}

    // A system as the records have it.
    struct known_system {
        session::circumstances now;
        std::string zone;
    };
    known_system look_up(const fingerprint& print) const;

    // Only where its slot is: cheap enough to ask for everybody whenever the topology changes.
    std::optional<session::circumstances::owner> place_of(
        const cluster::topology& known, const std::string& zone, slot which) const;

    bool fenced() const { return !around_.lease.holds(around_.time.now()); }
    const std::string& name() const { return own_.name; }
    const cluster::topology_cell& topology() const { return around_.topology; }
    clock& time() const { return around_.time; }

private:
    surroundings around_;
    identity own_;
};

}  // namespace muster::node

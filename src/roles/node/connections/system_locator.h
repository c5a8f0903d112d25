#pragma once

#include "core/session/attach_decision.h"
#include "ports/clock.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/topology.h"
#include "services/fleet/system_cache.h"

#include <string>

namespace muster::node {

// What this node knows of a system and of itself, at this moment: from the records in memory, the
// topology and its own lease. Thread-safe.
class system_locator {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        const cluster::topology_cache& topology;
        const cluster::lease_guard& lease;
        muster::clock& clock;
    };
    struct identity {
        std::string name;
        std::string instance;  // of another data directory under our name we are not the node
    };

    system_locator(dependencies deps, identity own) : deps_(deps), own_(std::move(own)) {}

    // A system as the records have it.
    struct known_system {
        session::attach_context now;
        std::string zone;
    };
    known_system look_up(const fingerprint& print) const;

    // Only where its slot is: cheap enough to ask for everybody whenever the topology changes.
    std::optional<session::attach_context::owner> place_of(
        const cluster::topology& topology, const std::string& zone, slot slot) const;

    bool fenced() const { return !deps_.lease.holds(deps_.clock.now()); }
    const std::string& name() const { return own_.name; }
    const cluster::topology_cache& topology() const { return deps_.topology; }
    muster::clock& clock() const { return deps_.clock; }

private:
    dependencies deps_;
    identity own_;
};

}  // namespace muster::node

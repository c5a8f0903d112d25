#pragma once

#include "core/session/attach_decision.h"
#include "ports/clock.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/topology.h"
#include "services/fleet/system_cache.h"

#include <string>

namespace muster::node {

// Finds the record and the owner node of a system, from the caches and this node's lease.
// Thread-safe.
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
        std::string instance;  // another data directory under our name is another node
    };

    system_locator(dependencies deps, identity own) : deps_(deps), own_(std::move(own)) {}

    // A system as recorded, with the inputs of the attach decision.
    struct located_system {
        session::attach_context context;
        std::string zone;
    };
    located_system find(const fingerprint& print) const;

    // Only the owner of the slot: cheap enough for all systems at each change of the topology.
    std::optional<session::attach_context::slot_owner> find_owner(
        const cluster::topology& topology, const std::string& zone, slot slot) const;

    bool is_fenced() const { return !deps_.lease.holds(deps_.clock.now()); }
    const std::string& name() const { return own_.name; }
    const cluster::topology_cache& topology() const { return deps_.topology; }
    muster::clock& clock() const { return deps_.clock; }

private:
    dependencies deps_;
    identity own_;
};

}  // namespace muster::node

#pragma once

#include "core/fleet/system_set.h"
#include "core/model/system.h"

#include <string>

namespace muster::cluster {
class topology_cache;
}

namespace muster::presence {

class presence_cache;

// Tells where systems are attached. The base class knows no system.
class presence_lookup {
public:
    presence_lookup() = default;
    presence_lookup(const presence_lookup&) = delete;
    presence_lookup& operator=(const presence_lookup&) = delete;
    virtual ~presence_lookup() = default;

    virtual bool is_attached(system_number /*system*/) const { return false; }
    // The name of the node it is or was attached to; empty: none.
    virtual std::string node_of(system_number /*system*/) const { return {}; }
};

fleet::system_set attached_among(const fleet::system_set& systems, const presence_lookup& presence);

// Answers from the reports of the nodes. Thread-safe.
class cached_presence_lookup final : public presence_lookup {
public:
    cached_presence_lookup(const presence_cache& presence, const cluster::topology_cache& topology)
        : presence_(presence), topology_(topology) {}

    bool is_attached(system_number system) const override;
    std::string node_of(system_number system) const override;

private:
    const presence_cache& presence_;
    const cluster::topology_cache& topology_;
};

}  // namespace muster::presence

#pragma once

#include "core/model/system.h"
#include "ports/clock.h"
#include "services/fleet/target_resolver.h"
#include "services/presence/missing_nodes.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::api {

// Finds systems and their zones, for rights checks and audit entries. The base class knows none.
class system_directory {
public:
    system_directory() = default;
    system_directory(const system_directory&) = delete;
    system_directory& operator=(const system_directory&) = delete;
    virtual ~system_directory() = default;

    // Finds a system by number, fingerprint or name. errc::not_found, or errc::conflict when the
    // name is not unique.
    virtual result<system_number> find(const std::string& name) const {
        return fail(errc::not_found, "system \"" + name + "\" not found");
    }
    virtual std::optional<std::string> zone_of(const std::string& /*name*/) const { return {}; }
    // Nodes whose attached systems this server does not know.
    virtual std::vector<presence::missing_node> missing_nodes() const { return {}; }
};

// Reads the caches of this server. Thread-safe.
class fleet_directory final : public system_directory {
public:
    struct dependencies {
        const fleet::target_resolver& targets;
        const presence::presence_cache& presence;
        const cluster::topology_cache& topology;
        muster::clock& clock;
    };

    explicit fleet_directory(dependencies deps) : deps_(deps) {}

    result<system_number> find(const std::string& name) const override;
    std::optional<std::string> zone_of(const std::string& name) const override;
    std::vector<presence::missing_node> missing_nodes() const override;

private:
    dependencies deps_;
};

}  // namespace muster::api

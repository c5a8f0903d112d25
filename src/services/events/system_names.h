#pragma once

#include "core/model/system.h"

#include <optional>
#include <string>

namespace muster::fleet {
class system_cache;
}

namespace muster::events {

// Interface: names and zones of systems, for events. The default knows no systems.
class system_names {
public:
    system_names() = default;
    system_names(const system_names&) = delete;
    system_names& operator=(const system_names&) = delete;
    virtual ~system_names() = default;

    // Empty for an unknown system.
    virtual std::string name_of(system_number /*system*/) const { return {}; }
    virtual std::optional<std::string> zone_of(system_number /*system*/) const { return {}; }
};

// Reads names and zones from the system cache. Thread-safe.
class fleet_system_names final : public system_names {
public:
    explicit fleet_system_names(const fleet::system_cache& systems) : systems_(systems) {}

    std::string name_of(system_number system) const override;
    std::optional<std::string> zone_of(system_number system) const override;

private:
    const fleet::system_cache& systems_;
};

}  // namespace muster::events

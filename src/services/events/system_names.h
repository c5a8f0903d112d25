#pragma once

#include "core/model/system.h"

#include <optional>
#include <string>

namespace muster::fleet {
class system_cache;
}

namespace muster::events {

// What events say of systems beside their numbers. By itself it knows none.
class system_names {
public:
    system_names() = default;
    system_names(const system_names&) = delete;
    system_names& operator=(const system_names&) = delete;
    virtual ~system_names() = default;

    // Empty for a system that is not known.
    virtual std::string name_of(system_number /*system*/) const { return {}; }
    virtual std::optional<std::string> zone_of(system_number /*system*/) const { return {}; }
};

// From the records of the fleet. Thread-safe.
class fleet_system_names final : public system_names {
public:
    explicit fleet_system_names(const fleet::system_cache& systems) : systems_(systems) {}

    std::string name_of(system_number system) const override;
    std::optional<std::string> zone_of(system_number system) const override;

private:
    const fleet::system_cache& systems_;
};

}  // namespace muster::events

#pragma once

#include "base/result.h"
#include "core/model/system.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace muster::lifecycle {

// A user and the zones in which the user may change systems. Check it against the record that is
// written, because a system can move to another zone after it was selected.
struct actor_scope {
    // NOLINTBEGIN(google-explicit-constructor): most actors have all zones
    actor_scope(std::string user, std::optional<std::set<std::string>> zones_allowed = std::nullopt)
        : name(std::move(user)), zones(std::move(zones_allowed)) {}
    actor_scope(const char* user) : name(user) {}
    // NOLINTEND(google-explicit-constructor)

    std::string name;
    std::optional<std::set<std::string>> zones;  // nothing: all

    // errc::denied if the system is in another zone. A system in the pool has no zone, so every
    // actor may change it. Only actors with all zones may name unknown systems.
    result<void> check(const std::optional<system_record>& system) const;
};

}  // namespace muster::lifecycle

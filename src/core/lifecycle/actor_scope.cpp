#include "core/lifecycle/actor_scope.h"

namespace muster::lifecycle {

result<void> actor_scope::check(const std::optional<system_record>& system) const {
    if (!zones) return {};
    if (!system) return fail(errc::not_found, "system not found");
    if (system->zone.empty() || zones->contains(system->zone)) return {};
    return fail(
        errc::denied,
        "system \"" + system->name + "\" is in zone \"" + system->zone + "\"; user \"" + name
            + "\" has no rights in this zone");
}

}  // namespace muster::lifecycle

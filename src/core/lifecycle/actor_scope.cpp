#include "core/lifecycle/actor_scope.h"

namespace muster::lifecycle {

result<void> actor_scope::check(const std::optional<system_record>& system) const {
    if (!zones) return {};
    if (!system) return fail(errc::not_found, "there is no such system");
    if (system->zone.empty() || zones->contains(system->zone)) return {};
    return fail(
        errc::denied,
        system->name + " is in zone " + system->zone + ", where " + name + " may not");
}

}  // namespace muster::lifecycle

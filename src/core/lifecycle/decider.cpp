#include "core/lifecycle/decider.h"

namespace muster::lifecycle {

result<void> decider::check(const std::optional<system_record>& about) const {
    if (!zones) return {};
    if (!about) return fail(errc::not_found, "there is no such system");
    if (about->zone.empty() || zones->contains(about->zone)) return {};
    return fail(
        errc::denied, about->name + " is in zone " + about->zone + ", where " + name + " may not");
}

}  // namespace muster::lifecycle

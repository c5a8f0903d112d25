#include "core/api/timed.h"

#include "base/iso_time.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::api {

using kind = shape::kind;

value with_times(value what, const shape& wanted) {
    if (wanted.what() == kind::time) {
        const auto* text = what.get<std::string>();
        const auto when = text ? parse_iso_time(*text) : std::nullopt;
        if (when) return *when;
    }
    if (auto* items = what.get<value::list>(); items && wanted.what() == kind::list) {
        for (auto& each : *items) each = with_times(std::move(each), wanted.element());
    }
    if (auto* members = what.get<value::record>(); members && wanted.what() == kind::map) {
        for (auto& each : *members) each.of = with_times(std::move(each.of), wanted.element());
    }
    if (auto* members = what.get<value::record>(); members && wanted.what() == kind::record) {
        for (const auto& each : wanted.members()) {
            const auto found = std::ranges::find(*members, each.name, &member::name);
            if (found != members->end()) found->of = with_times(std::move(found->of), each.of);
        }
    }
    return what;
}

}  // namespace muster::api

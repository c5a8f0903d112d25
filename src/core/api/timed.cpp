#include "core/api/timed.h"

#include "base/iso_time.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::api {

using kind = shape::kind;

value with_times(value what, const shape& shape) {
    if (shape.what() == kind::time) {
        const auto* text = what.get<std::string>();
        const auto when = text ? parse_iso_time(*text) : std::nullopt;
        if (when) return *when;
    }
    if (auto* items = what.get<value::list>(); items && shape.what() == kind::list) {
        for (auto& item : *items) item = with_times(std::move(item), shape.element());
    }
    if (auto* members = what.get<value::record>(); members && shape.what() == kind::map) {
        for (auto& each : *members) each.of = with_times(std::move(each.of), shape.element());
    }
    if (auto* members = what.get<value::record>(); members && shape.what() == kind::record) {
        for (const auto& each : shape.members()) {
            const auto it = std::ranges::find(*members, each.name, &member::name);
            if (it != members->end()) it->of = with_times(std::move(it->of), each.of);
        }
    }
    return what;
}

}  // namespace muster::api

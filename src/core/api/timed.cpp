#include "core/api/timed.h"

#include "base/iso_time.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::api {

using kind = shape::kind;

value with_times(value input, const shape& shape) {
    if (shape.what() == kind::time) {
        const auto* text = input.get<std::string>();
        const auto time = text ? parse_iso_time(*text) : std::nullopt;
        if (time) return *time;
    }
    if (auto* items = input.get<value::list>(); items && shape.what() == kind::list) {
        for (auto& item : *items) item = with_times(std::move(item), shape.element());
    }
    if (auto* members = input.get<value::record>(); members && shape.what() == kind::map) {
        for (auto& entry : *members) entry.of = with_times(std::move(entry.of), shape.element());
    }
    if (auto* members = input.get<value::record>(); members && shape.what() == kind::record) {
        for (const auto& declared : shape.members()) {
            const auto it = std::ranges::find(*members, declared.name, &member::name);
            if (it != members->end()) it->of = with_times(std::move(it->of), declared.of);
        }
    }
    return input;
}

}  // namespace muster::api

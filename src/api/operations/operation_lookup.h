#pragma once

#include "api/operations/registry.h"

#include <functional>
#include <optional>
#include <string_view>

namespace muster::api {

// An operation as a draft or another server names it, with what it is to be done with.
struct found_operation {
    const api::operation* what = nullptr;
    action does;
    api::value arguments;
};

// Operations of a door with declarations of its own, by name, and by arguments as JSON has them
// where several have one name. Nothing: there is none that takes these.
using operation_finder =
    std::function<std::optional<found_operation>(std::string_view name, api::value arguments)>;

// Of the registry, or else of the others, which may be null.
std::optional<found_operation> find_operation(
    const registry& all,
    const operation_finder& others,
    std::string_view name,
    api::value arguments);

}  // namespace muster::api

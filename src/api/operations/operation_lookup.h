#pragma once

#include "api/operations/registry.h"

#include <functional>
#include <optional>
#include <string_view>

namespace muster::api {

// An operation that a draft or another server names, with its handler and arguments.
struct resolved_operation {
    const api::operation* operation = nullptr;
    operation_handler handler;
    api::value arguments;
};

// Finds operations that are not in the registry (XML-RPC methods), by name and JSON arguments;
// overloads share a name. nullopt: no operation accepts these arguments.
using operation_lookup =
    std::function<std::optional<resolved_operation>(std::string_view name, api::value arguments)>;

// Searches the registry, then `others`, which may be null.
std::optional<resolved_operation> find_operation(
    const registry& operations,
    const operation_lookup& others,
    std::string_view name,
    api::value arguments);

}  // namespace muster::api

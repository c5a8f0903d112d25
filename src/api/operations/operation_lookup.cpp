#include "api/operations/operation_lookup.h"

#include <utility>

namespace muster::api {

std::optional<resolved_operation> find_operation(
    const registry& operations,
    const operation_lookup& others,
    std::string_view name,
    api::value arguments) {
    if (const auto* const entry = operations.find(name))
        return resolved_operation{
            .operation = &entry->operation,
            .handler = entry->handler,
            .arguments = std::move(arguments)};
    if (!others) return std::nullopt;
    return others(name, std::move(arguments));
}

}  // namespace muster::api

#include "api/operations/operation_lookup.h"

#include <utility>

namespace muster::api {

std::optional<found_operation> find_operation(
    const registry& all,
    const operation_finder& others,
    std::string_view name,
    api::value arguments) {
    if (const auto* const meant = all.find(name))
        return found_operation{
            .what = &meant->what, .does = meant->does, .arguments = std::move(arguments)};
    if (!others) return std::nullopt;
    return others(name, std::move(arguments));
}

}  // namespace muster::api

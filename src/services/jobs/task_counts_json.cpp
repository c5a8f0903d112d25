#include "services/jobs/task_counts_json.h"

#include <boost/json.hpp>

#include <cstdint>

namespace muster::jobs {
namespace {

namespace json = boost::json;

json::string_view to_json_string(std::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

json::object to_json(const task_counts& counts) {
    json::object object;
    for (const auto state : all_task_states)
        object[to_json_string(to_string(state))] = counts[state];
    return object;
}

std::optional<task_counts> parse_counts(std::string_view text) {
    json::error_code failure;
    const auto parsed = json::parse(to_json_string(text), failure);
    if (failure || !parsed.is_object()) return std::nullopt;
    task_counts counts;
    for (const auto state : all_task_states) {
        const auto* const value = parsed.as_object().if_contains(to_json_string(to_string(state)));
        if (value == nullptr) continue;
        const auto count = value->to_number<std::uint64_t>(failure);
        if (failure) return std::nullopt;
        counts[state] = count;
    }
    return counts;
}

}  // namespace muster::jobs

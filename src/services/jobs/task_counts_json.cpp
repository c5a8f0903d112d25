#include "services/jobs/task_counts_json.h"

#include <boost/json.hpp>

#include <cstdint>

namespace muster::jobs {
namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

json::object stored_counts(const task_counts& counts) {
    json::object stored;
    for (const auto state : all_task_states) stored[view(to_string(state))] = counts[state];
    return stored;
}

std::optional<task_counts> parse_counts(std::string_view text) {
    json::error_code failure;
    const auto parsed = json::parse(view(text), failure);
    if (failure || !parsed.is_object()) return std::nullopt;
    task_counts counts;
    for (const auto state : all_task_states) {
        const auto* const found = parsed.as_object().if_contains(view(to_string(state)));
        if (found == nullptr) continue;
        const auto count = found->to_number<std::uint64_t>(failure);
        if (failure) return std::nullopt;
        counts[state] = count;
    }
    return counts;
}

}  // namespace muster::jobs

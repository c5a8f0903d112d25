#include "apps/muster/cli/events_view.h"

#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string text_of(const json::value& value) {
    if (value.is_string()) return json::value_to<std::string>(value);
    if (value.is_null()) return {};
    return json::serialize(value);
}

std::string member(const json::object& object, const char* name) {
    const auto* const value = object.if_contains(name);
    return value == nullptr ? std::string() : text_of(*value);
}

void add(std::string& line, const char* name, const std::string& value) {
    if (!value.empty()) line += fmt::format("  {}={}", name, value);
}

// Adds every member of the data that is short enough, in its order.
void add_data(std::string& line, const json::object& data) {
    constexpr std::size_t bytes_max = 120;
    for (const auto& member_entry : data) {
        const auto value = text_of(member_entry.value());
        if (value.empty() || value.size() > bytes_max) continue;
        line += fmt::format("  {}={}", std::string_view(member_entry.key()), value);
    }
}

}  // namespace

std::string event_line(const json::value& event) {
    const auto* const members = event.if_object();
    if (members == nullptr) return {};
    auto line = fmt::format("{}  {:<18}", member(*members, "at"), member(*members, "kind"));
    add(line, "job", member(*members, "job"));
    const auto name = member(*members, "name");
    add(line, "system", name.empty() ? member(*members, "system") : name);
    add(line, "node", member(*members, "node"));
    add(line, "zone", member(*members, "zone"));
    add(line, "by", member(*members, "by"));
    const auto* const data = members->if_contains("data");
    if (data != nullptr && data->is_object()) add_data(line, data->as_object());
    line = printable(std::move(line));
    std::ranges::replace(line, '\n', ' ');
    return line;
}

std::string cursor_of(const json::value& object, const char* name, const std::string& fallback) {
    const auto* const members = object.if_object();
    const auto cursor = members == nullptr ? std::string() : member(*members, name);
    return cursor.empty() ? fallback : cursor;
}

}  // namespace muster::cli

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

std::string member(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    return found == nullptr ? std::string() : text_of(*found);
}

void add(std::string& line, const char* name, const std::string& value) {
    if (!value.empty()) line += fmt::format("  {}={}", name, value);
}

// Every member of the data that is short enough for a line, in its own order.
void add_data(std::string& line, const json::object& data) {
    constexpr std::size_t bytes_max = 120;
    for (const auto& each : data) {
        const auto value = text_of(each.value());
        if (value.empty() || value.size() > bytes_max) continue;
        line += fmt::format("  {}={}", std::string_view(each.key()), value);
    }
}

}  // namespace

std::string event_line(const json::value& event) {
    const auto* const all = event.if_object();
    if (all == nullptr) return {};
    auto line = fmt::format("{}  {:<18}", member(*all, "at"), member(*all, "kind"));
    add(line, "job", member(*all, "job"));
    const auto name = member(*all, "name");
    add(line, "system", name.empty() ? member(*all, "system") : name);
    add(line, "node", member(*all, "node"));
    add(line, "zone", member(*all, "zone"));
    add(line, "by", member(*all, "by"));
    const auto* const data = all->if_contains("data");
    if (data != nullptr && data->is_object()) add_data(line, data->as_object());
    line = printable(std::move(line));
    std::ranges::replace(line, '\n', ' ');
    return line;
}

std::string cursor_of(const json::value& from, const char* name, const std::string& otherwise) {
    const auto* const all = from.if_object();
    const auto cursor = all == nullptr ? std::string() : member(*all, name);
    return cursor.empty() ? otherwise : cursor;
}

}  // namespace muster::cli

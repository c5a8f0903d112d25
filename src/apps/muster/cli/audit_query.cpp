#include "apps/muster/cli/audit_query.h"

#include "apps/muster/cli/api_command.h"
#include "base/iso_time.h"

#include <fmt/format.h>

#include <string_view>

namespace muster::cli {
namespace {

constexpr std::size_t day_letters = std::string_view("2026-11-16").size();

result<std::string> parse_time(const std::string& text, const char* flag) {
    auto time = text.size() == day_letters ? text + "T00:00:00Z" : text;
    if (!parse_iso_time(time))
        return fail(
            errc::invalid,
            fmt::format(
                "{}: \"{}\" is neither a day (2026-11-16) nor a time in UTC (2026-11-16T08:00:00Z)",
                flag,
                text));
    return time;
}

void add_parameter(std::string& path, const char* name, const std::string& value) {
    path += fmt::format("{}{}={}", path.contains('?') ? '&' : '?', name, path_segment(value));
}

}  // namespace

result<std::string> audit_path(const audit_query& query) {
    std::string path = "/api/v1/audit";
    if (!query.user.empty()) add_parameter(path, "who", query.user);
    if (!query.operation.empty()) add_parameter(path, "what", query.operation);
    if (!query.system.empty()) add_parameter(path, "system", query.system);
    if (query.oldest_first) add_parameter(path, "order", "oldest");
    if (!query.from.empty()) {
        TRY(const auto time, parse_time(query.from, "--from"));
        add_parameter(path, "from", time);
    }
    if (!query.to.empty()) {
        TRY(const auto time, parse_time(query.to, "--to"));
        add_parameter(path, "to", time);
    }
    return path;
}

}  // namespace muster::cli

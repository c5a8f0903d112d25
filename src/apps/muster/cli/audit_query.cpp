#include "apps/muster/cli/audit_query.h"

#include "apps/muster/cli/api_command.h"
#include "base/iso_time.h"

#include <fmt/format.h>

#include <string_view>

namespace muster::cli {
namespace {

constexpr std::size_t day_letters = std::string_view("2026-11-16").size();

result<std::string> moment_of(const std::string& written, const char* flag) {
    auto moment = written.size() == day_letters ? written + "T00:00:00Z" : written;
    if (!parse_iso_time(moment))
        return fail(
            errc::invalid,
            fmt::format(
                "{}: `{}` is neither a day (2026-11-16) nor a moment in UTC "
                "(2026-11-16T08:00:00Z)",
                flag,
                written));
    return moment;
}

void ask_for(std::string& path, const char* name, const std::string& value) {
    path += fmt::format("{}{}={}", path.contains('?') ? '&' : '?', name, path_segment(value));
}

}  // namespace

result<std::string> audit_path(const audit_query& audit_query) {
    std::string path = "/api/v1/audit";
    if (!audit_query.who.empty()) ask_for(path, "who", audit_query.who);
    if (!audit_query.what.empty()) ask_for(path, "what", audit_query.what);
    if (!audit_query.system.empty()) ask_for(path, "system", audit_query.system);
    if (audit_query.oldest_first) ask_for(path, "order", "oldest");
    if (!audit_query.from.empty()) {
        TRY(const auto moment, moment_of(audit_query.from, "--from"));
        ask_for(path, "from", moment);
    }
    if (!audit_query.to.empty()) {
        TRY(const auto moment, moment_of(audit_query.to, "--to"));
        ask_for(path, "to", moment);
    }
    return path;
}

}  // namespace muster::cli

#include "apps/muster/cli/audit_question.h"

#include "apps/muster/cli/api_verb.h"
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

result<std::string> audit_path(const audit_question& asked) {
    std::string path = "/api/v1/audit";
    if (!asked.who.empty()) ask_for(path, "who", asked.who);
    if (!asked.what.empty()) ask_for(path, "what", asked.what);
    if (!asked.system.empty()) ask_for(path, "system", asked.system);
    if (asked.oldest_first) ask_for(path, "order", "oldest");
    if (!asked.from.empty()) {
        TRY(const auto moment, moment_of(asked.from, "--from"));
        ask_for(path, "from", moment);
    }
    if (!asked.to.empty()) {
        TRY(const auto moment, moment_of(asked.to, "--to"));
        ask_for(path, "to", moment);
    }
    return path;
}

}  // namespace muster::cli

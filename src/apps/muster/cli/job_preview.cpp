#include "apps/muster/cli/job_preview.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <unistd.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t few = 10;  // so many are seen at a glance
constexpr std::size_t rest_shown = 3;
constexpr std::size_t answer_bytes_max = 64;

const json::value* member(const json::value& of, std::string_view name) {
    const auto* const members = of.if_object();
    return members == nullptr ? nullptr : members->if_contains({name.data(), name.size()});
}

std::int64_t number_of(const json::value& of, std::string_view name) {
    const auto* const found = member(of, name);
    if (found == nullptr) return 0;
    json::error_code failure;
    const auto read = found->to_number<std::int64_t>(failure);
    return failure ? 0 : read;
}

std::string text_of(const json::value& of, std::string_view name) {
    const auto* const found = member(of, name);
    return found != nullptr && found->is_string() ? json::value_to<std::string>(*found) : "";
}

std::vector<std::string> rest_of(const json::value& forecast) {
    const auto* const all = member(forecast, "rest");
    std::vector<std::string> responses;
    if (all == nullptr || !all->is_array()) return responses;
    for (const auto& each : all->get_array())
        responses.push_back(fmt::format(
            "{} with the schedule {}: {}",
            number_of(each, "systems"),
            text_of(each, "schedule"),
            text_of(each, "why")));
    return responses;
}

void say(int out, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(out, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string typed_line(int in) {
    std::array<char, answer_bytes_max> line{};
    ssize_t got = 0;
    do {
        got = ::read(in, line.data(), line.size());
    } while (got < 0 && errno == EINTR);
    return {line.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

}  // namespace

job_preview outlook_of(const json::value& preview) {
    job_preview ahead{
        .targets = number_of(preview, "targets"),
        .away = number_of(preview, "away"),
        .fleet = number_of(preview, "fleet")};
    const auto* const changes = member(preview, "changes");
    if (changes != nullptr && changes->is_bool()) ahead.changes = changes->get_bool();
    const auto* const forecast = member(preview, "forecast");
    if (forecast == nullptr || forecast->is_null()) return ahead;
    ahead.waiting = number_of(*forecast, "waiting");
    ahead.opens = text_of(*forecast, "opens");
    ahead.rest = rest_of(*forecast);
    return ahead;
}

reach reach_of(const job_preview& ahead, std::string_view query, std::int64_t wide_above) {
    if (!ahead.changes || ahead.targets <= 1) return reach::some;
    const bool covers = ahead.targets >= ahead.fleet && ahead.targets > few;
    if (query == "*" || covers) return reach::everything;
    const bool most = ahead.targets > ahead.fleet / 2 && ahead.targets > few;
    return most || ahead.targets > wide_above ? reach::wide : reach::some;
}

std::string spoken_waiting(const job_preview& ahead) {
    std::string response;
    if (ahead.waiting > 0) {
        const auto when =
            ahead.opens.empty() ? std::string() : "; the first opens at " + ahead.opens;
        response = fmt::format(
            "{} of {} systems wait for their maintenance window{}; --window override starts there "
            "at once, for who has the right windows.override\n",
            ahead.waiting,
            ahead.targets,
            when);
    }
    for (std::size_t each = 0; each < ahead.rest.size() && each < rest_shown; ++each)
        response += "in none of its windows: " + ahead.rest[each] + "\n";
    return response;
}

result<void> check_reach(
    std::string_view command, const job_preview& ahead, reach how_wide, const terminal& at) {
    if (how_wide == reach::some) return {};
    const bool everything = how_wide == reach::everything;
    if (!at.is_one()) {
        if (!everything) return {};
        return fail(
            errc::invalid,
            fmt::format(
                "this changes all {} systems, and nobody is there to be asked: say --yes",
                ahead.targets));
    }
    say(at.out,
        fmt::format(
            "muster {}: on {} of {} systems{}? [y/N] ",
            command,
            ahead.targets,
            ahead.fleet,
            ahead.away > 0 ? fmt::format(", {} of them away now", ahead.away) : ""));
    if (const auto answer = typed_line(at.in); answer.starts_with('y') || answer.starts_with('Y'))
        return {};
    return fail(errc::cancelled, "nothing was done");
}

}  // namespace muster::cli

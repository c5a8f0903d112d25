#include "apps/muster/cli/job_preview.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <unistd.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::int64_t few_systems_max = 10;  // small targets need no confirmation
constexpr std::size_t skipped_shown_max = 3;
constexpr std::size_t answer_bytes_max = 64;

const json::value* member(const json::value& object, std::string_view name) {
    const auto* const members = object.if_object();
    return members == nullptr ? nullptr : members->if_contains({name.data(), name.size()});
}

std::int64_t number_member(const json::value& object, std::string_view name) {
    const auto* const value = member(object, name);
    if (value == nullptr) return 0;
    json::error_code failure;
    const auto number = value->to_number<std::int64_t>(failure);
    return failure ? 0 : number;
}

std::string text_member(const json::value& object, std::string_view name) {
    const auto* const value = member(object, name);
    return value != nullptr && value->is_string() ? json::value_to<std::string>(*value) : "";
}

std::vector<std::string> read_skipped(const json::value& forecast) {
    const auto* const entries = member(forecast, "rest");
    std::vector<std::string> texts;
    if (entries == nullptr || !entries->is_array()) return texts;
    for (const auto& entry : entries->get_array())
        texts.push_back(fmt::format(
            "{} systems with schedule \"{}\": {}",
            number_member(entry, "systems"),
            text_member(entry, "schedule"),
            text_member(entry, "why")));
    return texts;
}

void write_text(int out, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(out, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string read_line(int in) {
    std::array<char, answer_bytes_max> line{};
    ssize_t count = 0;
    do {
        count = ::read(in, line.data(), line.size());
    } while (count < 0 && errno == EINTR);
    return {line.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

}  // namespace

job_preview read_preview(const json::value& preview) {
    job_preview result{
        .targets = number_member(preview, "targets"),
        .offline = number_member(preview, "away"),
        .fleet = number_member(preview, "fleet")};
    const auto* const changes = member(preview, "changes");
    if (changes != nullptr && changes->is_bool()) result.changes = changes->get_bool();
    const auto* const forecast = member(preview, "forecast");
    if (forecast == nullptr || forecast->is_null()) return result;
    result.waiting = number_member(*forecast, "waiting");
    result.opens = text_member(*forecast, "opens");
    result.skipped = read_skipped(*forecast);
    return result;
}

target_scope scope_of(const job_preview& preview, std::string_view query, std::int64_t wide_above) {
    if (!preview.changes || preview.targets <= 1) return target_scope::some;
    const bool is_all = preview.targets >= preview.fleet && preview.targets > few_systems_max;
    if (query == "*" || is_all) return target_scope::everything;
    const bool is_majority =
        preview.targets > preview.fleet / 2 && preview.targets > few_systems_max;
    return is_majority || preview.targets > wide_above ? target_scope::wide : target_scope::some;
}

std::string waiting_text(const job_preview& preview) {
    std::string text;
    if (preview.waiting > 0) {
        const auto opening =
            preview.opens.empty() ? std::string() : "; the first window opens at " + preview.opens;
        text = fmt::format(
            "{} of {} systems wait for their maintenance window{}; --window override starts "
            "immediately (requires the right windows.override)\n",
            preview.waiting,
            preview.targets,
            opening);
    }
    for (std::size_t index = 0; index < preview.skipped.size() && index < skipped_shown_max;
         ++index)
        text += "no suitable window: " + preview.skipped[index] + "\n";
    return text;
}

result<void> confirm_scope(
    std::string_view command,
    const job_preview& preview,
    target_scope scope,
    const terminal& screen) {
    if (scope == target_scope::some) return {};
    const bool everything = scope == target_scope::everything;
    if (!screen.is_terminal()) {
        if (!everything) return {};
        return fail(
            errc::invalid,
            fmt::format(
                "job changes all {} systems; confirm with --yes (no terminal)", preview.targets));
    }
    write_text(
        screen.out,
        fmt::format(
            "muster {}: run on {} of {} systems{}? [y/N] ",
            command,
            preview.targets,
            preview.fleet,
            preview.offline > 0 ? fmt::format(", {} of them offline", preview.offline) : ""));
    if (const auto answer = read_line(screen.in);
        answer.starts_with('y') || answer.starts_with('Y'))
        return {};
    return fail(errc::cancelled, "cancelled; nothing was changed");
}

}  // namespace muster::cli

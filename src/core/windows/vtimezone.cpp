#include "core/windows/vtimezone.h"

#include "core/windows/ical_value.h"
#include "core/windows/recurrence_walk.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace muster::windows {
namespace {

constexpr std::size_t changes_max = 4'096;
constexpr std::size_t parts_max = 256;

struct onset {
    time_zone::change change;
    seconds before;
};

std::unexpected<error> wrong(std::size_t line, const std::string& text) {
    return fail(errc::invalid, "line " + std::to_string(line) + ": " + text);
}

result<const content_line*> needed(const component& part, std::string_view name) {
    TRY(const auto* const line, part.only(name));
    if (line == nullptr)
        return wrong(part.line, part.name + " of a VTIMEZONE has no " + std::string(name));
    return line;
}

template <class T>
result<T> at_line(const content_line& line, result<T> read) {
    if (read) return read;
    return wrong(line.number, line.name + ": " + read.error().detail());
}

// The local times of a part: its first one, those of its rule, and single ones.
result<std::vector<local_seconds>> moments_of(
    const component& part, local_seconds start, seconds before) {
    std::vector<local_seconds> moments{start};
    TRY(const auto* const rule_line, part.only("RRULE"));
    if (rule_line != nullptr) {
        TRY(const auto rule, at_line(*rule_line, recurrence::parse(rule_line->value)));
        const time_zone fixed("", before, {});
        const auto horizon =
            std::chrono::local_days(std::chrono::year(horizon_year) / std::chrono::December / 31);
        recurrence_walk walk(rule, fixed, start, {.from = start, .to = horizon});
        while (const auto each = walk.next()) {
            if (moments.size() > changes_max) return wrong(rule_line->number, "changes too often");
            moments.push_back(*each);
        }
    }
    for (const auto* const line : part.all("RDATE")) {
        TRY(const auto moment, at_line(*line, parse_moment(line->value)));
        moments.push_back(moment.at);
    }
    return moments;
}

// STANDARD or DAYLIGHT: when its offset begins to hold.
result<void> add_onsets(const component& part, std::vector<onset>& to) {
    TRY(const auto* const start_line, needed(part, "DTSTART"));
    TRY(const auto* const from_line, needed(part, "TZOFFSETFROM"));
    TRY(const auto* const to_line, needed(part, "TZOFFSETTO"));
    TRY(const auto start, at_line(*start_line, parse_moment(start_line->value)));
    TRY(const auto before, at_line(*from_line, parse_offset(from_line->value)));
    TRY(const auto after, at_line(*to_line, parse_offset(to_line->value)));
    TRY(const auto moments, moments_of(part, start.at, before));
    for (const auto moment : moments)
        to.push_back({{sys_seconds(moment.time_since_epoch() - before), after}, before});
    return {};
}

}  // namespace

result<zone_pointer> parse_vtimezone(const component& from) {
    TRY(const auto* const name, needed(from, "TZID"));
    std::vector<onset> onsets;
    if (from.parts.size() > parts_max) return wrong(from.line, "a VTIMEZONE of too many parts");
    for (const auto& part : from.parts) {
        if (part.name != "STANDARD" && part.name != "DAYLIGHT") continue;
        CHECK_OK(add_onsets(part, onsets));
        if (onsets.size() > changes_max) return wrong(part.line, "changes too often");
    }
    if (onsets.empty())
        return wrong(from.line, "a VTIMEZONE without STANDARD or DAYLIGHT says nothing");
    std::ranges::sort(onsets, {}, [](const onset& onset) { return onset.change.at; });
    std::vector<time_zone::change> changes;
    changes.reserve(onsets.size());
    for (const auto& each : onsets) changes.push_back(each.change);
    return std::make_shared<const time_zone>(
        name->value, onsets.front().before, std::move(changes));
}

}  // namespace muster::windows

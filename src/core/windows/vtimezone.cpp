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

struct offset_change {
    time_zone::change change;
    seconds offset_before;
};

std::unexpected<error> invalid_line(std::size_t line, const std::string& text) {
    return fail(errc::invalid, "line " + std::to_string(line) + ": " + text);
}

result<const content_line*> require_property(const component& part, std::string_view name) {
    TRY(const auto* const line, part.find_one(name));
    if (line == nullptr)
        return invalid_line(part.line, part.name + " of a VTIMEZONE has no " + std::string(name));
    return line;
}

template <class T>
result<T> with_line(const content_line& line, result<T> value) {
    if (value) return value;
    return invalid_line(line.number, line.name + ": " + value.error().detail());
}

// The local times of a part: its start, the times of its rule, and its RDATEs.
result<std::vector<local_seconds>> expand_moments(
    const component& part, local_seconds start, seconds offset_before) {
    std::vector<local_seconds> moments{start};
    TRY(const auto* const rule_line, part.find_one("RRULE"));
    if (rule_line != nullptr) {
        TRY(const auto rule, with_line(*rule_line, recurrence::parse(rule_line->value)));
        const time_zone fixed_zone("", offset_before, {});
        const auto horizon =
            std::chrono::local_days(std::chrono::year(horizon_year) / std::chrono::December / 31);
        recurrence_walk walk(rule, fixed_zone, start, {.from = start, .to = horizon});
        while (const auto moment = walk.next()) {
            if (moments.size() > changes_max)
                return invalid_line(rule_line->number, "too many time zone transitions");
            moments.push_back(*moment);
        }
    }
    for (const auto* const line : part.find_all("RDATE")) {
        TRY(const auto moment, with_line(*line, parse_moment(line->value)));
        moments.push_back(moment.at);
    }
    return moments;
}

// Adds the changes that a STANDARD or DAYLIGHT part describes.
result<void> add_offset_changes(const component& part, std::vector<offset_change>& offset_changes) {
    TRY(const auto* const start_line, require_property(part, "DTSTART"));
    TRY(const auto* const from_line, require_property(part, "TZOFFSETFROM"));
    TRY(const auto* const to_line, require_property(part, "TZOFFSETTO"));
    TRY(const auto start, with_line(*start_line, parse_moment(start_line->value)));
    TRY(const auto offset_before, with_line(*from_line, parse_offset(from_line->value)));
    TRY(const auto offset_after, with_line(*to_line, parse_offset(to_line->value)));
    TRY(const auto moments, expand_moments(part, start.at, offset_before));
    for (const auto moment : moments)
        offset_changes.push_back(
            {{sys_seconds(moment.time_since_epoch() - offset_before), offset_after},
             offset_before});
    return {};
}

}  // namespace

result<time_zone_pointer> parse_vtimezone(const windows::component& component) {
    TRY(const auto* const name, require_property(component, "TZID"));
    std::vector<offset_change> offset_changes;
    if (component.parts.size() > parts_max)
        return invalid_line(component.line, "VTIMEZONE has too many parts");
    for (const auto& part : component.parts) {
        if (part.name != "STANDARD" && part.name != "DAYLIGHT") continue;
        CHECK_OK(add_offset_changes(part, offset_changes));
        if (offset_changes.size() > changes_max)
            return invalid_line(part.line, "too many time zone transitions");
    }
    if (offset_changes.empty())
        return invalid_line(component.line, "VTIMEZONE has neither STANDARD nor DAYLIGHT");
    std::ranges::sort(
        offset_changes, {}, [](const offset_change& entry) { return entry.change.at; });
    std::vector<time_zone::change> changes;
    changes.reserve(offset_changes.size());
    for (const auto& entry : offset_changes) changes.push_back(entry.change);
    return std::make_shared<const time_zone>(
        name->value, offset_changes.front().offset_before, std::move(changes));
}

}  // namespace muster::windows

#include "core/schedules/schedule.h"

#include "core/windows/admission.h"
#include "core/windows/ical_value.h"
#include "core/windows/recurrence_walk.h"

#include <algorithm>
#include <utility>

namespace muster::schedules {
namespace {

using std::chrono::seconds;
using windows::local_seconds;
using windows::sys_seconds;

constexpr std::chrono::days rule_look_ahead{3'660};
constexpr std::chrono::hours any_offset{26};

result<windows::time_zone_pointer> find_zone(
    const std::string& name, const windows::time_zone_source& zones) {
    if (name.empty() || name == "UTC") return windows::time_zone::utc();
    auto zone = zones(name);
    if (zone || zone.error().code() != errc::not_found) return zone;
    return fail(
        errc::invalid, "time zone \"" + name + "\" not found; use a name such as Europe/Berlin");
}

// "2026-11-16T22:00:00Z" as iCalendar writes it.
result<wall_time> parse_utc_time(std::string_view text) {
    std::string compact;
    for (const char letter : text)
        if (letter != '-' && letter != ':') compact += letter;
    const auto moment = windows::parse_moment(compact);
    if (!moment || !moment->utc)
        return fail(
            errc::invalid,
            "`at` must be a UTC time such as 2026-11-16T22:00:00Z, not \"" + std::string(text)
                + "\"");
    return wall_time(sys_seconds(moment->at.time_since_epoch()));
}

result<rule_timing> parse_rule(const std::string& text, windows::time_zone_pointer zone) {
    constexpr std::string_view prefix = "DTSTART:";
    const auto space = text.find(' ');
    if (!text.starts_with(prefix) || space == std::string::npos)
        return fail(
            errc::invalid,
            "`rrule` must be the first start and the rule: DTSTART:20261116T220000 FREQ=WEEKLY");
    TRY(const auto start,
        windows::parse_moment(std::string_view(text).substr(prefix.size(), space - prefix.size())));
    if (start.utc && zone->name() != "UTC")
        return fail(
            errc::invalid, "`rrule`: DTSTART is in the time zone of the schedule; remove the Z");
    TRY(auto rule, windows::recurrence::parse(std::string_view(text).substr(space + 1)));
    return rule_timing{.rule = std::move(rule), .start = start.at, .zone = std::move(zone)};
}

std::optional<wall_time> next_rule_run(const rule_timing& timing, wall_time after) {
    const auto utc = std::chrono::floor<seconds>(after);
    const local_seconds from(utc.time_since_epoch() - any_offset);
    windows::recurrence_walk walk(
        timing.rule,
        *timing.zone,
        timing.start,
        {.from = from, .to = std::max(from, timing.start) + rule_look_ahead});
    while (const auto local = walk.next()) {
        const wall_time run = timing.zone->to_utc(*local);
        if (run > after) return run;
    }
    return std::nullopt;
}

}  // namespace

result<timing> parse_timing(const timing_text& text, const windows::time_zone_source& zones) {
    const auto choices = static_cast<int>(!text.at.empty()) + static_cast<int>(!text.cron.empty())
                         + static_cast<int>(!text.rrule.empty());
    if (choices != 1)
        return fail(errc::invalid, "a schedule must have exactly one of `at`, `cron` and `rrule`");
    TRY(auto zone, find_zone(text.zone, zones));
    if (!text.at.empty()) {
        TRY(const auto time, parse_utc_time(text.at));
        return timing(once{.at = time});
    }
    if (!text.cron.empty()) {
        TRY(const auto expression, cron::parse(text.cron));
        return timing(cron_timing{.expression = expression, .zone = std::move(zone)});
    }
    TRY(auto rule, parse_rule(text.rrule, std::move(zone)));
    return timing(std::move(rule));
}

std::optional<wall_time> next_run(const schedules::timing& timing, wall_time after) {
    if (const auto* const single = std::get_if<once>(&timing))
        return single->at > after ? std::optional(single->at) : std::nullopt;
    if (const auto* const recurring = std::get_if<cron_timing>(&timing))
        return recurring->expression.next(std::chrono::floor<seconds>(after), *recurring->zone);
    return next_rule_run(std::get<rule_timing>(timing), after);
}

result<missed_runs> parse_missed_runs(std::string_view word) {
    if (word == "skip") return missed_runs::skip;
    if (word == "run-once") return missed_runs::run_once;
    return fail(errc::invalid, "`missed` must be skip or run-once");
}

std::string_view to_string(missed_runs policy) {
    return policy == missed_runs::skip ? "skip" : "run-once";
}

due_result find_due_run(const schedule_state& state, wall_time now) {
    due_result result{.run = {}, .missed = 0, .considered = state.considered, .next = {}};
    auto next = next_run(state.timing, state.considered);
    std::optional<wall_time> last_due;
    std::size_t passed = 0;
    for (; next && *next <= now && passed < schedule_limits::due_steps_max; ++passed) {
        last_due = next;
        next = next_run(state.timing, *next);
    }
    const bool too_many = next && *next <= now;  // too many missed runs to count
    if (too_many) next = next_run(state.timing, now);
    result.next = next;
    if (!last_due) return result;
    result.considered = too_many ? now : *last_due;
    const bool in_time = !too_many && now - *last_due <= schedule_limits::grace;
    const bool starts = state.active && (in_time || state.missed == missed_runs::run_once);
    if (starts) result.run = due_run{.planned = too_many ? now : *last_due, .late = !in_time};
    if (state.active) result.missed = passed - (starts ? 1 : 0);
    return result;
}

result<std::optional<std::string>> check_run_window(
    const windows::window_schedule& maintenance, wall_time planned, std::string_view schedule) {
    TRY(const auto open, maintenance.open_at(planned));
    if (open) return std::optional<std::string>();
    TRY(const auto next_windows, maintenance.next(planned, 1));
    auto notice = "schedule \"" + std::string(schedule) + "\": run at " + windows::to_text(planned)
                  + " skipped: outside the maintenance window";
    if (!next_windows.empty())
        notice += "; next window opens at " + windows::to_text(next_windows[0].opens);
    return std::optional(std::move(notice));
}

}  // namespace muster::schedules

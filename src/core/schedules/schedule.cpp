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

result<windows::zone_pointer> zone_named(
    const std::string& name, const windows::zone_source& zones) {
    if (name.empty() || name == "UTC") return windows::time_zone::utc();
    auto match = zones(name);
    if (match || match.error().code() != errc::not_found) return match;
    return fail(
        errc::invalid, "there is no time zone " + name + "; it wants a name such as Europe/Berlin");
}

// "2026-11-16T22:00:00Z" as iCalendar writes it.
result<wall_time> parse_iso(std::string_view text) {
    std::string compact;
    for (const char each : text)
        if (each != '-' && each != ':') compact += each;
    const auto moment = windows::parse_moment(compact);
    if (!moment || !moment->utc)
        return fail(
            errc::invalid,
            "`at` wants a time in UTC such as 2026-11-16T22:00:00Z, not '" + std::string(text)
                + "'");
    return wall_time(sys_seconds(moment->at.time_since_epoch()));
}

result<by_rule> parse_rule(const std::string& text, windows::zone_pointer zone) {
    constexpr std::string_view prefix = "DTSTART:";
    const auto space = text.find(' ');
    if (!text.starts_with(prefix) || space == std::string::npos)
        return fail(
            errc::invalid,
            "`rrule` wants its first time, then the rule: DTSTART:20261116T220000 FREQ=WEEKLY");
    TRY(const auto start,
        windows::parse_moment(std::string_view(text).substr(prefix.size(), space - prefix.size())));
    if (start.utc && zone->name() != "UTC")
        return fail(
            errc::invalid, "`rrule`: the start is in the schedule's zone; leave the Z away");
    TRY(auto rule, windows::recurrence::parse(std::string_view(text).substr(space + 1)));
    return by_rule{.rule = std::move(rule), .start = start.at, .zone = std::move(zone)};
}

std::optional<wall_time> next_of(const by_rule& when, wall_time after) {
    const auto utc = std::chrono::floor<seconds>(after);
    const local_seconds from(utc.time_since_epoch() - any_offset);
    windows::recurrence_walk walk(
        when.rule,
        *when.zone,
        when.start,
        {.from = from, .to = std::max(from, when.start) + rule_look_ahead});
    while (const auto each = walk.next()) {
        const wall_time moment = when.zone->utc_of(*each);
        if (moment > after) return moment;
    }
    return std::nullopt;
}

}  // namespace

result<timing> parse_timing(const written_timing& written, const windows::zone_source& zones) {
    const auto input = static_cast<int>(!written.at.empty())
                       + static_cast<int>(!written.cron.empty())
                       + static_cast<int>(!written.rrule.empty());
    if (input != 1)
        return fail(errc::invalid, "a schedule has exactly one of `at`, `cron` and `rrule`");
    TRY(auto zone, zone_named(written.zone, zones));
    if (!written.at.empty()) {
        TRY(const auto at, parse_iso(written.at));
        return timing(once{.at = at});
    }
    if (!written.cron.empty()) {
        TRY(const auto when, cron::parse(written.cron));
        return timing(by_cron{.when = when, .zone = std::move(zone)});
    }
    TRY(auto rule, parse_rule(written.rrule, std::move(zone)));
    return timing(std::move(rule));
}

std::optional<wall_time> next_run(const timing& when, wall_time after) {
    if (const auto* const at = std::get_if<once>(&when))
        return at->at > after ? std::optional(at->at) : std::nullopt;
    if (const auto* const by = std::get_if<by_cron>(&when))
        return by->when.next(std::chrono::floor<seconds>(after), *by->zone);
    return next_of(std::get<by_rule>(when), after);
}

result<missed_runs> parse_missed_runs(std::string_view word) {
    if (word == "skip") return missed_runs::skip;
    if (word == "run-once") return missed_runs::run_once;
    return fail(errc::invalid, "`missed` is 'skip' or 'run-once'");
}

std::string_view to_string(missed_runs policy) {
    return policy == missed_runs::skip ? "skip" : "run-once";
}

due_answer due(const schedule_state& of, wall_time now) {
    due_answer answer{.run = {}, .missed = 0, .considered = of.considered, .next = {}};
    auto next = next_run(of.when, of.considered);
    std::optional<wall_time> last;
    std::size_t passed = 0;
    for (; next && *next <= now && passed < schedule_limits::due_steps_max; ++passed) {
        last = next;
        next = next_run(of.when, *next);
    }
    const bool many = next && *next <= now;  // away for so long that counting on would take long
    if (many) next = next_run(of.when, now);
    answer.next = next;
    if (!last) return answer;
    answer.considered = many ? now : *last;
    const bool in_time = !many && now - *last <= schedule_limits::grace;
    const bool runs = of.active && (in_time || of.missed == missed_runs::run_once);
    if (runs) answer.run = due_run{.planned = many ? now : *last, .late = !in_time};
    if (of.active) answer.missed = passed - (runs ? 1 : 0);
    return answer;
}

result<std::optional<std::string>> skipped_outside(
    const windows::timetable& allowed, wall_time planned, std::string_view schedule) {
    TRY(const auto open, allowed.open_at(planned));
    if (open) return std::optional<std::string>();
    TRY(const auto coming, allowed.next(planned, 1));
    auto notice = "schedule " + std::string(schedule) + ": the run of " + windows::spoken(planned)
                  + " is outside of the maintenance window and is skipped";
    if (!coming.empty()) notice += "; the next window opens at " + windows::spoken(coming[0].opens);
    return std::optional(std::move(notice));
}

}  // namespace muster::schedules

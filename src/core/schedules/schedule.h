#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/schedules/cron.h"
#include "core/windows/recurrence.h"
#include "core/windows/time_zone.h"
#include "core/windows/timetable.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::schedules {

// When something is to run: once, by a cron expression, or by an RRULE.
struct once {
    wall_time at;
};
struct by_cron {
    cron when;
    windows::zone_pointer zone;
};
struct by_rule {
    windows::recurrence rule;
    windows::local_seconds start;
    windows::zone_pointer zone;
};
using timing = std::variant<once, by_cron, by_rule>;

// As people write it; exactly one of `at`, `cron` and `rrule` is given.
struct written_timing {
    std::string at;     // "2026-11-16T22:00:00Z"
    std::string cron;   // "30 2 * * SUN"
    std::string rrule;  // "DTSTART:20261116T220000 FREQ=WEEKLY", the start first
    std::string zone;   // IANA; empty: UTC
};
result<timing> parse_timing(const written_timing& written, const windows::zone_source& zones);

// The first run after `after`; nothing when there is none any more.
std::optional<wall_time> next_run(const timing& when, wall_time after);

// What to do with runs whose time passed while nobody could start them.
enum class missed_runs {
    skip,      // only the next one counts
    run_once,  // one run makes up for all
};
result<missed_runs> parse_missed_runs(std::string_view word);
std::string_view to_string(missed_runs policy);

// A schedule as far as starting it is concerned.
struct schedule_state {
    timing when;
    missed_runs missed = missed_runs::skip;
    bool active = true;
    wall_time considered;  // runs up to here are dealt with; at first, when it was made
};

struct due_run {
    wall_time planned;
    bool late = false;  // it makes up for missed ones

    friend bool operator==(const due_run&, const due_run&) = default;
};
struct due_answer {
    std::optional<due_run> run;
    std::size_t missed = 0;         // that will not be run; counted up to missed_max
    wall_time considered;           // to be kept with the run, so that it is started once
    std::optional<wall_time> next;  // when to ask again
};

struct schedule_limits {
    // A run that is not more than this behind its time is not late.
    static constexpr std::chrono::minutes grace{5};
    static constexpr std::size_t missed_max = 1'000;
    static constexpr std::size_t due_steps_max = 1'000;
};

// What of it is due at `now`. Asking twice with what the first answer said was considered gives no
// run the second time.
due_answer due(const schedule_state& of, wall_time now);

// A run of a schedule that comes outside of the window is skipped, with this notice.
// Nothing: it may run.
result<std::optional<std::string>> skipped_outside(
    const windows::timetable& allowed, wall_time planned, std::string_view schedule);

}  // namespace muster::schedules

#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/schedules/cron.h"
#include "core/windows/recurrence.h"
#include "core/windows/time_zone.h"
#include "core/windows/window_schedule.h"

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
struct cron_timing {
    cron expression;
    windows::time_zone_pointer zone;
};
struct rule_timing {
    windows::recurrence rule;
    windows::local_seconds start;
    windows::time_zone_pointer zone;
};
using timing = std::variant<once, cron_timing, rule_timing>;

// A timing as users write it; exactly one of `at`, `cron` and `rrule` is set.
struct timing_text {
    std::string at;     // "2026-11-16T22:00:00Z"
    std::string cron;   // "30 2 * * SUN"
    std::string rrule;  // "DTSTART:20261116T220000 FREQ=WEEKLY", the start first
    std::string zone;   // IANA; empty: UTC
};
result<timing> parse_timing(const timing_text& text, const windows::time_zone_source& zones);

// The first run after `after`, if any.
std::optional<wall_time> next_run(const schedules::timing& timing, wall_time after);

// What to do with runs whose time passed while no server could start them.
enum class missed_runs {
    skip,      // start only the next run
    run_once,  // start one run for all missed runs
};
result<missed_runs> parse_missed_runs(std::string_view word);
std::string_view to_string(missed_runs policy);

// The part of a schedule that decides when it runs.
struct schedule_state {
    schedules::timing timing;
    missed_runs missed = missed_runs::skip;
    bool active = true;
    wall_time considered;  // runs up to this time are handled; initially the creation time
};

struct due_run {
    wall_time planned;
    bool late = false;  // replaces missed runs

    friend bool operator==(const due_run&, const due_run&) = default;
};
struct due_result {
    std::optional<due_run> run;
    std::size_t missed = 0;         // runs that will not start; counted up to missed_max
    wall_time considered;           // store it with the run, so that the run starts once
    std::optional<wall_time> next;  // when to check again
};

struct schedule_limits {
    // A run within this delay is not late.
    static constexpr std::chrono::minutes grace{5};
    static constexpr std::size_t missed_max = 1'000;
    static constexpr std::size_t due_steps_max = 1'000;
};

// Finds the run that is due at `now`. A second call with the returned `considered` returns no run.
due_result find_due_run(const schedule_state& state, wall_time now);

// The notice for a run that is skipped because it is outside every window. Nothing: it may run.
result<std::optional<std::string>> check_run_window(
    const windows::window_schedule& maintenance, wall_time planned, std::string_view schedule);

}  // namespace muster::schedules

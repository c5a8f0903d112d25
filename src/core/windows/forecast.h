#pragma once

#include "base/time.h"
#include "core/windows/admission.h"
#include "core/windows/window.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::windows {

// How many systems a job will finish in which window (or start, where only that is to lie within
// it), and why not the rest: told before it is confirmed. Its cost grows with schedules and
// windows, never with systems.

struct forecast_group {
    std::string schedule;  // empty: systems without one, which may start at any time
    std::uint64_t systems = 0;
    std::vector<window> coming;  // timetable::next(now, …); those looked at
    std::chrono::seconds expected{0};
    // Whether the work must end within the window or only start there.
    admission_policy::fit rule = admission_policy::fit::finish_within;
    wall_time until = wall_time::max();  // what has not started by then is given up
};

struct forecast_limits {
    std::uint64_t concurrency = 0;  // tasks at the same time in the whole job; 0: any number
    double starts_per_second = 0;   // 0: any number
};

struct forecast_line {
    std::string schedule;
    window within;
    std::uint64_t finished = 0;

    friend bool operator==(const forecast_line&, const forecast_line&) = default;
};

struct forecast_rest {
    std::string schedule;
    std::uint64_t systems = 0;
    std::string why;

    friend bool operator==(const forecast_rest&, const forecast_rest&) = default;
};

struct forecast {
    std::vector<forecast_line> windows;  // in the order they open; those that finish any
    std::vector<forecast_rest> rest;     // those that will not be finished within these windows
    std::uint64_t without_schedule = 0;  // start at once

    friend bool operator==(const forecast&, const forecast&) = default;
};

// How many windows of a schedule are looked at.
inline constexpr std::size_t windows_foreseen = 10;

// Counts with every task taking its expected time and with groups that wait at the same time being
// served in proportion to their size.
forecast foresee(
    std::span<const forecast_group> groups, const forecast_limits& limits, wall_time now);

// Who cannot start at once, and when the first of them can.
struct waiting_systems {
    std::uint64_t count = 0;
    std::optional<wall_time> opens = std::nullopt;

    friend bool operator==(const waiting_systems&, const waiting_systems&) = default;
};
waiting_systems waiting_at(std::span<const forecast_group> groups, wall_time now);

}  // namespace muster::windows

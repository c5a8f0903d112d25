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

// A forecast says how many systems a job finishes in which window, and why it misses the rest.
// The operator sees it before confirming the job. The cost grows with schedules and windows, not
// with systems.

struct forecast_group {
    std::string schedule;  // empty: systems without a schedule start at any time
    std::uint64_t systems = 0;
    std::vector<window> next_windows;  // window_schedule::next(now, …)
    std::chrono::seconds expected{0};
    // Whether the work must end within the window or only start there.
    admission_policy::fit rule = admission_policy::fit::finish_within;
    wall_time until = wall_time::max();  // tasks not started by then expire
};

struct forecast_limits {
    std::uint64_t concurrency = 0;  // tasks of the job at the same time; 0: unlimited
    double starts_per_second = 0;   // 0: unlimited
};

struct forecast_line {
    std::string schedule;
    windows::window window;
    std::uint64_t finished = 0;

    friend bool operator==(const forecast_line&, const forecast_line&) = default;
};

struct forecast_rest {
    std::string schedule;
    std::uint64_t systems = 0;
    std::string reason;

    friend bool operator==(const forecast_rest&, const forecast_rest&) = default;
};

struct forecast {
    std::vector<forecast_line>
        windows;                      // ordered by opening time; only windows that finish systems
    std::vector<forecast_rest> rest;  // systems not finished within these windows
    std::uint64_t without_schedule = 0;  // start at once

    friend bool operator==(const forecast&, const forecast&) = default;
};

// Number of windows of a schedule that a forecast covers.
inline constexpr std::size_t forecast_windows_max = 10;

// Assumes that every task takes its expected time. Groups that wait at the same time are served in
// proportion to their size.
forecast compute_forecast(
    std::span<const forecast_group> groups, const forecast_limits& limits, wall_time now);

// Systems that cannot start now, and when the first of them can.
struct waiting_systems {
    std::uint64_t count = 0;
    std::optional<wall_time> opens = std::nullopt;

    friend bool operator==(const waiting_systems&, const waiting_systems&) = default;
};
waiting_systems waiting_systems_at(std::span<const forecast_group> groups, wall_time now);

// Systems of one schedule that wait for its next window.
struct window_wait {
    std::string schedule;
    std::uint64_t systems = 0;
    std::optional<wall_time> opens = std::nullopt;  // nothing: no window is known

    friend bool operator==(const window_wait&, const window_wait&) = default;
};

}  // namespace muster::windows

#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/windows/window.h"
#include "core/windows/window_schedule.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace muster::windows {

// Durations of earlier runs of the same work.
struct measured_duration {
    std::chrono::seconds mean{0};
    std::chrono::seconds deviation{0};  // standard deviation
    std::size_t samples = 0;
};

struct admission_policy {
    enum class fit { finish_within, start_within };
    enum class override { allowed, disabled };

    // finish_within: work starts only if its expected duration fits the rest of the window.
    // start_within: the window limits only the start.
    fit rule = fit::finish_within;
    override emergency = override::allowed;
    double deviations = 2.0;      // standard deviations added to the mean
    std::size_t samples_min = 5;  // below this, `presumed` is used
    std::chrono::seconds presumed{0};
};

// The mean plus `policy.deviations` deviations; `policy.presumed` if there are too few samples.
std::chrono::seconds expected_duration(
    const measured_duration& history, const admission_policy& policy);

// Work that wants to start now on a system with a maintenance schedule.
struct admission_request {
    wall_time now;
    std::span<const window> next_windows;  // window_schedule::next(now, …)
    std::chrono::seconds expected{0};
    bool emergency = false;  // the caller may start outside windows
};

struct start {
    std::optional<windows::window> window;  // none: emergency start outside windows

    friend bool operator==(const start&, const start&) = default;
};
struct wait {
    wall_time until;
    std::string reason;

    friend bool operator==(const wait&, const wait&) = default;
};
struct never {
    std::string reason;

    friend bool operator==(const never&, const never&) = default;
};
using admission = std::variant<start, wait, never>;

admission admit(const admission_request& request, const admission_policy& policy);

// errc::invalid if `planned` is outside every window; the message names the next windows.
result<void> check_planned_start(const window_schedule& schedule, wall_time planned);

// Systems that share a maintenance schedule.
struct planned_group {
    const std::string& name;  // of the schedule
    std::size_t systems = 0;
    const window_schedule& windows;
};
result<void> check_planned_start(const planned_group& group, wall_time planned);

// errc::denied if policy forbids emergency starts outside windows.
result<void> check_emergency(admission_policy::override policy);

// Whether a system may start work now.
struct window_check {
    std::optional<wall_time> opens = std::nullopt;     // when it may start, if not now
    std::optional<std::string> reason = std::nullopt;  // why it may not start now

    friend bool operator==(const window_check&, const window_check&) = default;
};
window_check check_window(
    const admission_request& request, const admission_policy& policy, const std::string& schedule);

// "2026-11-16T22:00:00Z"
std::string to_text(wall_time time);
// "2 h 30 min"
std::string to_text(std::chrono::seconds duration);

}  // namespace muster::windows

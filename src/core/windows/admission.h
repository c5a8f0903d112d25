#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/windows/timetable.h"
#include "core/windows/window.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace muster::windows {

// How long such work took before.
struct measured_duration {
    std::chrono::seconds mean{0};
    std::chrono::seconds deviation{0};  // standard deviation
    std::size_t samples = 0;
};

struct admission_policy {
    enum class fit { finish_within, start_within };
    enum class override { allowed, disabled };

    // Work starts only if its expected duration fits what is left of the window.
    // With start_within the window limits the start alone.
    fit rule = fit::finish_within;
    override emergency = override::allowed;  // may be disabled
    double deviations = 2.0;                 // how much longer than the mean it may take
    std::size_t samples_min = 5;             // fewer tell nothing
    std::chrono::seconds presumed{0};        // while nothing is known
};

// What to count with: the mean and some deviations, or what is presumed.
std::chrono::seconds expected_duration(
    const measured_duration& history, const admission_policy& policy);

// What is to start now, where it would do so only within a window.
struct admission_request {
    wall_time now;
    std::span<const window> coming;  // timetable::next(now, …): an open one first
    std::chrono::seconds expected{0};
    bool emergency = false;  // somebody with the permission said: now
};

struct start {
    std::optional<window> within;  // none: in an emergency

    friend bool operator==(const start&, const start&) = default;
};
struct wait {
    wall_time until;
    std::string why;

    friend bool operator==(const wait&, const wait&) = default;
};
struct never {
    std::string why;

    friend bool operator==(const never&, const never&) = default;
};
using admission = std::variant<start, wait, never>;

admission admit(const admission_request& admission_request, const admission_policy& policy);

// Planning a start outside a window is an error, and it names the next windows.
result<void> check_planned_start(const timetable& when, wall_time planned);

// The same for systems with one schedule: the sentence says how many they are and what to do.
struct planned_group {
    const std::string& schedule;
    std::size_t systems = 0;
    const timetable& when;
};
result<void> check_planned_start(const planned_group& of, wall_time planned);

// Whether policy lets an emergency start outside of windows: errc::denied if it does not.
result<void> check_emergency(admission_policy::override policy);

// What windows say about one system.
struct window_answer {
    std::optional<wall_time> opens = std::nullopt;  // it may start from then on
    std::optional<std::string> why = std::nullopt;  // it may not start now

    friend bool operator==(const window_answer&, const window_answer&) = default;
};
// Of one that has this schedule.
window_answer answer_to(
    const admission_request& admission_request,
    const admission_policy& policy,
    const std::string& schedule);

// "2026-11-16T22:00:00Z", for sentences.
std::string spoken(wall_time when);
// "2 h 30 min"
std::string spoken(std::chrono::seconds span);

}  // namespace muster::windows

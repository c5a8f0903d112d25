#pragma once

#include "core/windows/ical_value.h"
#include "core/windows/recurrence.h"
#include "core/windows/time_zone.h"
#include "core/windows/window.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::windows {

// A VEVENT: a first span, its repetition rule, and extra and excluded dates.
//
// With DTEND every repetition has exactly the same length. With DURATION, days are calendar days,
// so that a day on which the clocks change has 23 or 25 hours.
struct event {
    struct span {
        sys_seconds begin;
        sys_seconds end;
    };

    std::size_t line = 0;  // of its BEGIN
    std::string uid;
    std::string summary;
    time_zone_pointer zone;
    local_seconds start;
    bool whole_day = false;
    ical_duration duration;
    std::optional<recurrence> rule;
    std::set<sys_seconds> extra_starts;         // RDATE
    std::vector<span> extra_spans;              // RDATE;VALUE=PERIOD
    std::set<sys_seconds> excluded_starts;      // EXDATE, and starts replaced by another event
    std::set<local_seconds> excluded_days;      // EXDATE;VALUE=DATE
    std::optional<sys_seconds> replaced_start;  // RECURRENCE-ID
    bool cancelled = false;

    // Upper bound for the length of one span.
    seconds length_max() const;
};

struct event_limits {
    static constexpr std::chrono::days length_max{366};
    static constexpr std::size_t dates_max = 5'000;  // RDATE and EXDATE of one event
    static constexpr std::size_t name_bytes_max = 128;
};

// Appends the spans of `event` that touch `period` to `spans`. False when `spans` would exceed
// `count_max`.
bool add_spans(
    const windows::event& event,
    event::span period,
    std::size_t count_max,
    std::vector<event::span>& spans);

}  // namespace muster::windows

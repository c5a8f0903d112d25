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

// A VEVENT as windows are made of it: a first span, what repeats it, what is added and left out.
//
// When it ends is said by DTEND, then every repetition lasts exactly as long; or by DURATION, whose
// days are days of the calendar, so that a day with a change of the clocks is 23 or 25 hours long.
struct event {
    // A span that lies fast, or a time in the event's zone.
    struct span {
        sys_seconds begin;
        sys_seconds end;
    };

    std::size_t line = 0;  // of its BEGIN
    std::string uid;
    std::string summary;
    zone_pointer zone;
    local_seconds start;
    bool whole_day = false;
    ical_duration lasts;
    std::optional<recurrence> rule;
    std::set<sys_seconds> added;            // RDATE
    std::vector<span> added_spans;          // RDATE;VALUE=PERIOD
    std::set<sys_seconds> left_out;         // EXDATE, and what is replaced by another event
    std::set<local_seconds> days_left_out;  // EXDATE;VALUE=DATE
    std::optional<sys_seconds> replaces;    // RECURRENCE-ID
    bool cancelled = false;

    // The longest that one span of it can be.
    seconds length_max() const;
};

struct event_limits {
    static constexpr std::chrono::days length_max{366};
    static constexpr std::size_t dates_max = 5'000;  // RDATE and EXDATE of one event
    static constexpr std::size_t name_bytes_max = 128;
};

// Adds the spans of `from` that touch [begin, end) to `to`. False when it would become more than
// `count_max`.
bool add_spans(
    const event& from, event::span within, std::size_t count_max, std::vector<event::span>& to);

}  // namespace muster::windows

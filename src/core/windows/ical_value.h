#pragma once

#include "base/result.h"
#include "core/windows/time_zone.h"

#include <chrono>
#include <string>
#include <string_view>

namespace muster::windows {

// The value types of RFC 5545 that windows are made of. Each parser takes the whole text or fails
// with errc::invalid and a sentence that holds the text.

// "20261116", "20261116T220000" or "20261116T220000Z".
struct ical_moment {
    local_seconds at;  // as it is written
    bool whole_day = false;
    bool utc = false;

    friend bool operator==(const ical_moment&, const ical_moment&) = default;
};
result<ical_moment> parse_moment(std::string_view text);

// "P1W", "P1DT2H30M". Days are days of the calendar, the rest is time that passes.
struct ical_duration {
    std::chrono::days days{0};
    seconds time{0};

    friend bool operator==(const ical_duration&, const ical_duration&) = default;
};
result<ical_duration> parse_duration(std::string_view text);

// "+0100", "-043000".
result<seconds> parse_offset(std::string_view text);

// A text with its backslashes resolved.
std::string unescaped(std::string_view text);

}  // namespace muster::windows

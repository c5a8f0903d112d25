#pragma once

#include "base/result.h"
#include "core/windows/time_zone.h"

#include <chrono>
#include <string>
#include <string_view>

namespace muster::windows {

// Value types of RFC 5545. Each parser consumes the whole text; otherwise errc::invalid with a
// message that contains the text.

// "20261116", "20261116T220000" or "20261116T220000Z".
struct ical_moment {
    local_seconds at;  // as written, in local time or UTC
    bool whole_day = false;
    bool utc = false;

    friend bool operator==(const ical_moment&, const ical_moment&) = default;
};
result<ical_moment> parse_moment(std::string_view text);

// "P1W", "P1DT2H30M". Days are calendar days, the rest is elapsed time.
struct ical_duration {
    std::chrono::days days{0};
    seconds time{0};

    friend bool operator==(const ical_duration&, const ical_duration&) = default;
};
result<ical_duration> parse_duration(std::string_view text);

// "+0100", "-043000".
result<seconds> parse_offset(std::string_view text);

// Resolves the backslash escapes of a text.
std::string unescape(std::string_view text);

}  // namespace muster::windows

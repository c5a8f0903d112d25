#pragma once

#include "base/result.h"
#include "core/windows/time_zone.h"

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::windows {

// A rule such as "FREQ=MONTHLY;BYDAY=2TU" (RFC 5545, 3.3.10), as plain data.
//
// Repeats in the local time of a time zone. Rules that repeat more often than hourly and calendars
// other than the Gregorian one are refused.
struct recurrence {
    enum class frequency { yearly, monthly, weekly, daily, hourly };
    struct ordinal_day {
        int nth = 0;  // 0: every such day; -1: the last
        std::chrono::weekday day;

        friend bool operator==(const ordinal_day&, const ordinal_day&) = default;
    };
    struct end {
        local_seconds last;  // inclusive
        enum class time_base { local, utc } base = time_base::local;

        friend bool operator==(const end&, const end&) = default;
    };

    frequency every = frequency::daily;
    std::int32_t interval = 1;
    std::optional<std::int32_t> count;
    std::optional<end> until;
    std::chrono::weekday week_start = std::chrono::Monday;
    std::vector<int> months;
    std::vector<int> week_numbers;
    std::vector<int> year_days;
    std::vector<int> month_days;
    std::vector<ordinal_day> days;
    std::vector<int> hours;
    std::vector<int> minutes;
    std::vector<int> seconds;
    std::vector<int> positions;  // BYSETPOS

    // errc::invalid names the faulty part and the allowed values.
    static result<recurrence> parse(std::string_view text);

    friend bool operator==(const recurrence&, const recurrence&) = default;
};

struct recurrence_limits {
    static constexpr std::size_t text_bytes_max = 2'048;
    static constexpr std::int32_t interval_max = 10'000;
    static constexpr std::int32_t count_max = 100'000;
    static constexpr std::size_t times_per_day_max = 96;  // BYHOUR times BYMINUTE times BYSECOND
};

}  // namespace muster::windows

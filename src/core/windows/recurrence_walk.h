#pragma once

#include "core/windows/recurrence.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::windows {

// Walks the times of a rule in ascending order.
//
// `start` is what the rule repeats (DTSTART): it fills in what the rule leaves open and is always
// the first time, also when the rule itself would not give it. A walk steps over periods without
// times, at most up to `to`, so that a rule that never comes (30 February) ends it.
class recurrence_walk {
public:
    struct span {
        local_seconds from;  // inclusive; what is before is skipped, at once if the rule allows it
        local_seconds to;    // exclusive
    };

    recurrence_walk(
        const recurrence& rule, const time_zone& zone, local_seconds start, span within);

    std::optional<local_seconds> next();

private:
    using local_days = std::chrono::local_days;

    void skip_to(local_seconds from);
    bool fill();  // the times of the next period that has any; false at the end
    local_days first_day(std::int64_t period) const;
    local_days end_day(std::int64_t period) const;
    void add_period(std::int64_t period);
    bool matches(local_days day) const;
    bool matches_ordinals(const std::chrono::year_month_day& date, local_days day) const;
    bool matches_week(local_days day) const;
    void add_times(local_days day, const std::vector<int>& hours_of_day);
    void keep_positions();

    recurrence rule_;
    local_seconds start_;
    local_seconds to_;
    local_seconds from_;
    std::optional<local_seconds> until_;
    std::int64_t period_ = 0;
    std::int64_t given_ = 0;  // counted from `start`
    std::vector<local_seconds> times_;
    std::size_t position_ = 0;
};

}  // namespace muster::windows

#pragma once

#include "core/windows/recurrence.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::windows {

// Iterates over the times of a rule in ascending order.
//
// `start` (DTSTART) completes the parts that the rule omits. It is always the first time, also when
// the rule does not match it. A walk skips periods without times up to `to`, so a rule that never
// matches (30 February) ends.
class recurrence_walk {
public:
    struct span {
        local_seconds from;  // inclusive; earlier times are skipped
        local_seconds to;    // exclusive
    };

    recurrence_walk(
        const recurrence& rule, const time_zone& zone, local_seconds start, span period);

    std::optional<local_seconds> next();

private:
    using local_days = std::chrono::local_days;

    void skip_to(local_seconds from);
    bool fill();  // loads the times of the next non-empty period; false at the end
    local_days first_day(std::int64_t period) const;
    local_days end_day(std::int64_t period) const;
    void add_period(std::int64_t period);
    bool matches(local_days day) const;
    bool matches_ordinals(const std::chrono::year_month_day& date, local_days day) const;
    bool matches_week(local_days day) const;
    void add_times(local_days day, const std::vector<int>& hours_of_day);
    void select_positions();

    recurrence rule_;
    local_seconds start_;
    local_seconds to_;
    local_seconds from_;
    std::optional<local_seconds> until_;
    std::int64_t period_ = 0;
    std::int64_t count_ = 0;  // times passed since `start`
    std::vector<local_seconds> times_;
    std::size_t position_ = 0;
};

}  // namespace muster::windows

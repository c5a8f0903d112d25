#pragma once

#include "base/result.h"
#include "core/windows/time_zone.h"

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

namespace muster::schedules {

// A cron expression: minute, hour, day of the month, month, day of the week. Lists, ranges, steps,
// names of months and days, and @hourly, @daily, @weekly, @monthly, @yearly. If both days are
// restricted, either may match, as in every cron.
//
// Times are local times of the zone. When the clocks change, fixed and recurring hours differ:
// - an expression with fixed hours runs once a day, at 03:30 if the clocks skip its 02:30, and at
//   the first 02:30 if they show it twice;
// - an expression whose hour begins with '*' continues evenly: no time is skipped or doubled.
class cron {
public:
    // errc::invalid names the field and the allowed values.
    static result<cron> parse(std::string_view text);

    // The first time after `after` and before the horizon, if any.
    std::optional<windows::sys_seconds> next(
        windows::sys_seconds after, const windows::time_zone& zone) const;

    friend bool operator==(const cron&, const cron&) = default;

private:
    bool matches(std::chrono::local_days day) const;
    std::optional<windows::sys_seconds> first_of_day(
        std::chrono::local_days day,
        windows::sys_seconds after,
        const windows::time_zone& zone) const;

    std::bitset<60> minutes_;
    std::bitset<24> hours_;
    std::bitset<32> days_;
    std::bitset<13> months_;
    std::bitset<7> weekdays_;
    bool any_hour_ = false;  // the field begins with '*'
    bool any_day_ = false;
    bool any_weekday_ = false;
};

}  // namespace muster::schedules

#pragma once

#include "base/time.h"
#include "core/windows/time_zone.h"
#include "core/windows/window.h"

#include <chrono>
#include <span>
#include <string>

namespace muster::cli {

// Shows windows in a terminal: a month with marked days and a list of its windows, or a week with a
// line of half hours for each day. Days and hours are those of `zone`.
struct calendar_page {
    std::span<const windows::window> windows;
    windows::time_zone_pointer zone;
    wall_time now;  // the day of this time is marked
};

std::string month_view(const calendar_page& page, std::chrono::year_month month);
// The week of this day, from Monday.
std::string week_view(const calendar_page& page, std::chrono::local_days day);

}  // namespace muster::cli

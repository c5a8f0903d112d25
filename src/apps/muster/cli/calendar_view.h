#pragma once

#include "base/time.h"
#include "core/windows/time_zone.h"
#include "core/windows/window.h"

#include <chrono>
#include <span>
#include <string>

namespace muster::cli {

// Windows as people look at them in a terminal: a month with its days marked and their windows
// listed below, or a week with a line of half hours for each day. Days and hours are those of
// `zone`.
struct calendar_page {
    std::span<const windows::window> windows;
    windows::zone_pointer zone;
    wall_time now;  // its day is marked
};

std::string month_view(const calendar_page& page, std::chrono::year_month month);
// The week that begins on the Monday of this day's week.
std::string week_view(const calendar_page& page, std::chrono::local_days day);

}  // namespace muster::cli

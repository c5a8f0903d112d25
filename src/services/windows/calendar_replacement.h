#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/windows/calendar.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_snapshot.h"

#include <string>
#include <string_view>

namespace muster::windows {

// A calendar that is about to take the place of the one with its label.
struct calendar_replacement {
    const window_snapshot& now;
    const std::string& label;
    const calendar& with;
    wall_time at;
};

// Refuses a calendar that would leave planned work without its window.
inline constexpr std::string_view default_strategies = "Fail";

// What becomes of the work that is planned within the calendar's windows. `planned`: null for none.
result<replanned_schedules> replan_for(
    const calendar_replacement& replacement,
    std::string_view strategies,
    const planned_jobs* planned);

// Whether all that is planned may stay. errc::conflict names what may not.
result<void> check_keeps_planned(
    const calendar_replacement& replacement, const planned_jobs* planned);

}  // namespace muster::windows

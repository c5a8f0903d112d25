#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/windows/calendar.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_snapshot.h"

#include <string>
#include <string_view>

namespace muster::windows {

// A new calendar that is to replace the calendar with this label.
struct calendar_replacement {
    const window_snapshot& snapshot;
    const std::string& label;
    const calendar& replacement;
    wall_time now;
};

// Refuses a calendar that leaves planned jobs without a window.
inline constexpr std::string_view default_strategies = "Fail";

// Decides about the jobs planned within the windows of the calendar. `planned`: null for none.
result<replanned_schedules> replan_jobs(
    const calendar_replacement& change, std::string_view strategies, const planned_jobs* planned);

// Checks that all planned jobs keep their windows. errc::conflict names those that do not.
result<void> check_keeps_planned(const calendar_replacement& change, const planned_jobs* planned);

}  // namespace muster::windows

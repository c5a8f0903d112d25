#pragma once

#include "core/fleet/system_set.h"
#include "core/windows/admission.h"
#include "services/windows/window_snapshot.h"

#include <chrono>
#include <map>

namespace muster::windows {

// Returns the systems that must not start work now: their maintenance schedule has no open window,
// or the work would not end within it. Returns all systems if the snapshot is null, because their
// schedules are not known yet.
fleet::system_set find_closed(
    const window_snapshot* snapshot,
    const fleet::system_set& systems,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy);

// The expected duration of work, and how much later it may start without another check.
struct expected_work {
    std::chrono::seconds expected{0};
    std::chrono::seconds spare{0};
};

// Systems that must not start work during `spare`, and the latest start of the others so that the
// work ends within the window.
struct window_admission {
    fleet::system_set closed;
    std::map<wall_time, fleet::system_set> latest_starts;  // of systems with windows
};
window_admission check_windows(
    const window_snapshot* snapshot,
    const fleet::system_set& systems,
    wall_time now,
    const expected_work& work,
    const admission_policy& policy);

}  // namespace muster::windows

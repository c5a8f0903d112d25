#pragma once

#include "core/fleet/system_set.h"
#include "core/windows/admission.h"
#include "services/windows/window_snapshot.h"

#include <chrono>
#include <map>

namespace muster::windows {

// Which of these systems may not be started on now, because their maintenance schedule has no open
// window or the work would not end within it. A null view: nobody knows yet who has a schedule, so
// all of them.
fleet::system_set closed_now(
    const window_snapshot* view,
    const fleet::system_set& systems,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy);

// How long work is expected to take, and how long after this moment it may still begin unasked.
struct work_ahead {
    std::chrono::seconds expected{0};
    std::chrono::seconds spare{0};
};

// Who may be started on during `spare`, and until when each of them must have begun so that the
// work ends within its window.
struct gate {
    fleet::system_set closed;
    std::map<wall_time, fleet::system_set> begin_by;  // of those that have windows
};
gate gate_now(
    const window_snapshot* view,
    const fleet::system_set& systems,
    wall_time now,
    const work_ahead& work_ahead,
    const admission_policy& policy);

}  // namespace muster::windows

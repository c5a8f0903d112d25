#pragma once

#include "core/fleet/system_set.h"
#include "core/windows/admission.h"
#include "roles/windows/window_view.h"

#include <chrono>

namespace muster::windows {

// Which of these systems may not be started on now, because their maintenance schedule has no open
// window or the work would not end within it. A null view: nobody knows yet who has a schedule, so
// all of them.
fleet::system_set closed_now(
    const window_view* view,
    const fleet::system_set& systems,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy);

}  // namespace muster::windows

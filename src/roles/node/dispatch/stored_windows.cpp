#include "roles/node/dispatch/stored_windows.h"

#include "core/jobs/window_rules.h"

#include <utility>

namespace muster::dispatch {

windows::window_admission stored_windows::check(
    const fleet::system_set& systems, const measured_duration& expected) {
    return windows::check_windows(
        deps_.windows.current().get(),
        systems,
        deps_.clock.wall(),
        {.expected = jobs::expected_duration(expected), .spare = validity},
        {});
}

async<window_source::measured_duration> stored_windows::measure(job_spec work) {
    return deps_.durations.measure(std::move(work));
}

}  // namespace muster::dispatch

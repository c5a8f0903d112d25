#include "roles/node/dispatch/stored_windows.h"

#include "core/jobs/window_rules.h"

#include <utility>

namespace muster::dispatch {

windows::gate stored_windows::look(const fleet::system_set& systems, const took& expected) {
    return windows::gate_now(
        deps_.windows.current().get(),
        systems,
        deps_.clock.wall(),
        {.expected = jobs::expected_of(expected), .spare = holds},
        {});
}

async<window_source::took> stored_windows::measure(job_spec work) {
    return deps_.durations.measure(std::move(work));
}

}  // namespace muster::dispatch

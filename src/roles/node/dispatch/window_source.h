#pragma once

#include "core/fleet/system_set.h"
#include "core/jobs/duration_history.h"
#include "core/model/job.h"
#include "ports/async.h"
#include "services/windows/window_admission.h"

#include <chrono>

namespace muster::dispatch {

// Source of maintenance windows for window_gates. Called from the dispatcher's strand.
class window_source {
public:
    using measured_duration = jobs::duration_history::statistics;

    // How long a check stays valid. A window that closes sooner counts as closed.
    static constexpr std::chrono::seconds validity{1};

    virtual ~window_source() = default;

    // Which systems are outside of a window that is long enough for the work, and the latest start
    // of the others.
    virtual windows::window_admission check(
        const fleet::system_set& systems, const measured_duration& expected) = 0;
    // The durations of such work in the ledger.
    virtual async<measured_duration> measure(job_spec work) = 0;
};

}  // namespace muster::dispatch

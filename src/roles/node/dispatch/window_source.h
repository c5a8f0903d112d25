#pragma once

#include "core/fleet/system_set.h"
#include "core/jobs/duration_history.h"
#include "core/model/job.h"
#include "ports/async.h"
#include "services/windows/window_admission.h"

#include <chrono>

namespace muster::dispatch {

// What a node's gates need to know of maintenance windows. Called from the dispatcher's strand.
class window_source {
public:
    using took = jobs::duration_history::measured;

    // A system that is said to be in a window is started on for this long without another look: a
    // window that closes sooner counts as closed.
    static constexpr std::chrono::seconds holds{1};

    virtual ~window_source() = default;

    // Of these systems, which are outside of a window that is long enough for such work, and until
    // when the others must have begun.
    virtual windows::gate look(const fleet::system_set& systems, const took& expected) = 0;
    // How long such work took before, by the record.
    virtual async<took> measure(job_spec work) = 0;
};

}  // namespace muster::dispatch

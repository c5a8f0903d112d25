#pragma once

#include "core/fleet/system_set.h"
#include "core/jobs/job_plan.h"
#include "core/jobs/window_rules.h"
#include "core/model/system.h"
#include "ports/async.h"

#include <optional>

namespace muster::jobs {

// What jobs need to know of maintenance windows. As it stands nobody has any; the service that
// knows the windows says better. Thread-safe.
class job_windows {
public:
    job_windows() = default;
    job_windows(const job_windows&) = delete;
    job_windows& operator=(const job_windows&) = delete;
    virtual ~job_windows() = default;

    // How many systems a job will finish in which window. Nothing for a job that heeds none.
    virtual async<std::optional<window_forecast>> foresee(job_plan /*made*/) {
        co_return std::nullopt;
    }
    // Whether such work may start on the system now, and why not.
    virtual async<windows::window_answer> of(system_number /*system*/, job_spec /*work*/) {
        co_return windows::window_answer();
    }

    // Of these, who has a maintenance schedule.
    virtual result<fleet::system_set> with_schedule(const fleet::system_set& /*among*/) const {
        return fleet::system_set();
    }

    // A planned start outside of a window is refused, with the windows to come.
    virtual result<void> check_start(
        const job_spec& /*spec*/, const fleet::system_set& /*targets*/) const {
        return {};
    }

    // Whether a job may heed no window because somebody says it is an emergency: errc::denied when
    // policy forbids that.
    virtual result<void> check_override(const job_spec& /*spec*/) const { return {}; }
};

}  // namespace muster::jobs

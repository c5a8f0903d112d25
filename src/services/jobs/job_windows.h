#pragma once

#include "core/fleet/system_set.h"
#include "core/jobs/job_plan.h"
#include "core/jobs/window_rules.h"
#include "core/model/system.h"
#include "ports/async.h"

#include <optional>
#include <vector>

namespace muster::jobs {

// Interface for what jobs need from maintenance windows. The default implementation behaves as if
// no system has a schedule; job_window_service overrides it. Thread-safe.
class job_windows {
public:
    job_windows() = default;
    job_windows(const job_windows&) = delete;
    job_windows& operator=(const job_windows&) = delete;
    virtual ~job_windows() = default;

    // Forecasts how many systems complete the job in which window. Empty for a job that ignores
    // windows.
    virtual async<std::optional<window_forecast>> forecast(job_plan /*plan*/) {
        co_return std::nullopt;
    }
    // Whether this work may start on the system now, and why not.
    virtual async<windows::window_check> check_system(system_number /*system*/, job_spec /*work*/) {
        co_return windows::window_check();
    }
    // Those of the systems on which this work may not start now, by schedule.
    virtual async<std::vector<windows::window_wait>> find_waiting(
        job_spec /*work*/, fleet::system_set /*systems*/) {
        co_return std::vector<windows::window_wait>();
    }

    // Returns those of the systems that have a maintenance schedule.
    virtual result<fleet::system_set> find_scheduled(const fleet::system_set& /*systems*/) const {
        return fleet::system_set();
    }

    // Refuses a planned start outside of a window. The error lists the next windows.
    virtual result<void> check_start(
        const job_spec& /*spec*/, const fleet::system_set& /*targets*/) const {
        return {};
    }

    // Checks whether a job may override windows in an emergency. errc::denied when policy forbids
    // overrides.
    virtual result<void> check_override(const job_spec& /*spec*/) const { return {}; }
};

}  // namespace muster::jobs

#pragma once

#include "ports/clock.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_windows.h"
#include "services/windows/window_store.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::scheduling {

// Checks and forecasts jobs against maintenance windows. Reads the windows and the durations of
// earlier jobs, and applies core/jobs/window_rules.h. Thread-safe.
class job_window_service final : public jobs::job_windows {
public:
    job_window_service(
        const windows::window_store& windows,
        jobs::duration_reader& durations,
        muster::clock& clock)
        : windows_(windows), durations_(durations), clock_(clock) {}

    async<std::optional<jobs::window_forecast>> forecast(jobs::job_plan plan) override;
    async<windows::window_check> check_system(system_number system, job_spec work) override;
    async<std::vector<windows::window_wait>> find_waiting(
        job_spec work, fleet::system_set systems) override;
    result<fleet::system_set> find_scheduled(const fleet::system_set& systems) const override;
    result<void> check_start(const job_spec& spec, const fleet::system_set& targets) const override;
    result<void> check_override(const job_spec& spec) const override;

private:
    async<windows::window_check> check_schedule(
        std::shared_ptr<const windows::window_snapshot> snapshot,
        std::string schedule,
        job_spec work);
    result<std::shared_ptr<const windows::window_snapshot>> current() const;

    const windows::window_store& windows_;
    jobs::duration_reader& durations_;
    muster::clock& clock_;
};

}  // namespace muster::scheduling

#pragma once

#include "ports/clock.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_windows.h"
#include "services/windows/window_store.h"

#include <memory>
#include <optional>

namespace muster::scheduling {

// What maintenance windows mean for jobs, with the time that such work took before: reads both and
// asks core/jobs/window_rules.h. Thread-safe.
class job_window_service final : public jobs::job_windows {
public:
    job_window_service(
        const windows::window_store& book, jobs::duration_reader& durations, muster::clock& clock)
        : windows_(book), durations_(durations), clock_(clock) {}

    async<std::optional<jobs::window_forecast>> foresee(jobs::job_plan job_plan) override;
    async<windows::window_answer> of(system_number system, job_spec work) override;
    result<fleet::system_set> with_schedule(const fleet::system_set& among) const override;
    result<void> check_start(const job_spec& spec, const fleet::system_set& targets) const override;
    result<void> check_override(const job_spec& spec) const override;

private:
    result<std::shared_ptr<const windows::window_snapshot>> current() const;

    const windows::window_store& windows_;
    jobs::duration_reader& durations_;
    muster::clock& clock_;
};

}  // namespace muster::scheduling

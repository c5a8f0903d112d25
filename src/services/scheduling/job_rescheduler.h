#pragma once

#include "core/jobs/replanning.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_store.h"

#include <string>
#include <vector>

namespace muster::scheduling {

// Reschedules planned jobs after a change of calendars or schedules (core/jobs/replanning.h).
// Writes the replacement jobs in one step. The job supervisor completes the replacement
// (core/jobs/job_replacement.h). Thread-safe.
class job_rescheduler final : public windows::planned_jobs {
public:
    struct dependencies {
        jobs::job_store& jobs;
        const jobs::open_job_cache& open_jobs;
        const windows::window_store& windows;
        muster::clock& clock;
    };

    explicit job_rescheduler(dependencies deps) : deps_(deps) {}

    using replaced_jobs = std::vector<windows::replaced_job>;
    std::vector<windows::planned_start> planned(const std::string& schedule) const override;
    async<replaced_jobs> apply_decisions(
        windows::replanned_schedules decisions, std::string user) override;
    async<replaced_jobs> cancel(fleet::system_set systems, std::string user) override;

private:
    using open_jobs = std::vector<std::shared_ptr<const jobs::open_job>>;

    open_jobs find_replannable() const;

    // Replaces the job by jobs with these starts. Systems without a start are removed. Empty: the
    // job stays as it is.
    async<std::optional<windows::replaced_job>> replace(
        std::shared_ptr<const jobs::open_job> job, jobs::planned_starts starts, std::string reason);

    dependencies deps_;
};

}  // namespace muster::scheduling

#pragma once

#include "core/jobs/replanning.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_store.h"

#include <string>
#include <vector>

namespace muster::scheduling {

// Carries out what a change of calendars or schedules makes of planned jobs
// (core/jobs/replanning.h). Jobs that take the place of one are written here, in one step; the rest
// is the job supervisor's (core/jobs/job_replacement.h).
class job_rescheduler final : public windows::planned_jobs {
public:
    struct dependencies {
        jobs::job_store& jobs;
        const jobs::open_job_cache& open_jobs;
        const windows::window_store& windows;
        muster::clock& clock;
    };

    explicit job_rescheduler(dependencies deps) : deps_(deps) {}

    using replaced = std::vector<windows::replaced_job>;
    std::vector<windows::planned_start> planned(const std::string& schedule) const override;
    async<replaced> carry_out(windows::replanned_schedules by, std::string user) override;
    async<replaced> cancel(fleet::system_set systems, std::string user) override;

private:
    using open_jobs = std::vector<std::shared_ptr<const jobs::open_job>>;

    open_jobs replannable_jobs() const;

    // Whatever of the job's systems is in none of the starts is taken back. Nothing: it stays.
    async<std::optional<windows::replaced_job>> replace(
        std::shared_ptr<const jobs::open_job> job, jobs::planned_starts by, std::string reason);

    dependencies deps_;
};

}  // namespace muster::scheduling

#pragma once

#include "core/jobs/succession.h"
#include "roles/gateway/windows_api.h"
#include "roles/jobs/job_book.h"
#include "roles/jobs/job_ledger.h"
#include "roles/windows/window_book.h"

#include <set>
#include <string>
#include <vector>

namespace muster::server {

// Jobs that respect windows and have a start to come, and what a change of calendars or schedules
// makes of them (JOB-57, JOB-58). A job without such a start is not planned: its tasks wait for
// whatever window their system has.
//
// A job that cannot stay goes on as new ones, one for each start that is left, or as a single one
// if its limits are for all of its systems. These are written here, in one step; the rest is the
// steward's (core/jobs/succession.h).
class planned_work {
public:
    struct surroundings {
        jobs::job_ledger& records;
        const jobs::job_book& book;
        const windows::window_book& windows;
        clock& time;
    };

    explicit planned_work(surroundings around) : around_(around) {}

    gateway::planned_work_hooks hooks();

private:
    using replaced = std::vector<gateway::replaced_job>;
    using open_jobs = std::vector<std::shared_ptr<const jobs::open_job>>;

    open_jobs planned_jobs() const;
    std::vector<windows::planned_start> planned(const std::string& schedule) const;
    async<replaced> carry_out(gateway::replanned_schedules by, std::string who);
    async<replaced> cancel(fleet::system_set systems, std::string who);

    // Whatever of the job's systems is in none of the starts is taken back. Nothing: it stays.
    async<std::optional<gateway::replaced_job>> replace(
        std::shared_ptr<const jobs::open_job> job, jobs::planned_starts by, std::string reason);

    surroundings around_;
};

}  // namespace muster::server

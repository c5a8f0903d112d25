#pragma once

#include "roles/gateway/windows_api.h"
#include "roles/jobs/job_book.h"
#include "roles/jobs/job_ledger.h"
#include "roles/windows/window_book.h"

#include <map>
#include <string>
#include <vector>

namespace muster::server {

// Jobs that respect windows and have a start to come, and what a change of calendars or schedules
// makes of them (JOB-57, JOB-58). A job without such a start is not planned: its tasks wait for
// whatever window their system has.
//
// A job is never changed in place, because its targets and times are fixed when it is made. It is
// cancelled, and goes on as new jobs: one for each start that is left. Those are made first,
// paused, and let go when the old one is cancelled; so a crash in between runs nothing twice.
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
    using starts = std::map<wall_time, fleet::system_set>;

    bool is_planned(const job_record& job) const;
    std::vector<windows::planned_start> planned(const std::string& schedule) const;
    async<replaced> carry_out(gateway::replanned_schedules by, std::string who);
    async<replaced> cancel(fleet::system_set systems, std::string who);

    // Whatever of the job's systems is in none of the starts is taken back.
    async<gateway::replaced_job> replace(
        std::shared_ptr<const jobs::open_job> job, starts by, std::string reason);
    async<std::string> make_part(
        std::shared_ptr<const jobs::open_job> job, wall_time at, fleet::system_set systems);

    surroundings around_;
};

}  // namespace muster::server

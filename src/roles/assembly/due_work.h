#pragma once

#include "roles/assembly/management_services.h"
#include "services/content/sync_schedule.h"
#include "services/scheduling/schedule_runner.h"
#include "services/scheduling/scheduled_job_creator.h"
#include "services/windows/calendar_refresher.h"

#include <atomic>

namespace muster::roles {

// Starts due work: jobs of recurring schedules, calendar refreshes, channel synchronisation. Runs
// on every driver; works while `active` is true.
class due_work {
public:
    // `calendar_interval`: zero fetches calendars on demand only.
    due_work(management_services& management, monotonic::duration calendar_interval);

    void start(runtime::task_group& loops, const std::atomic<bool>& active);

private:
    management_services& management_;
    scheduling::scheduled_job_creator jobs_;
    scheduling::schedule_runner schedules_;
    windows::calendar_refresher calendars_;
    content::sync_schedule channels_;
};

}  // namespace muster::roles

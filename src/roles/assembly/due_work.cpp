#include "roles/assembly/due_work.h"

namespace muster::roles {

due_work::due_work(management_services& management, monotonic::duration calendar_interval)
    : management_(management),
      jobs_(
          {.job_service = management.jobs.service,
           .windows = management.base.windows.store,
           .events = management.base.events.log,
           .clock = management.base.context.clock,
           .log = management.base.context.log,
           .systems = management.base.fleet.targets,
           .deployment = management.deployment}),
      schedules_(
          {.windows = management.base.windows.store,
           .clock = management.base.context.clock,
           .log = management.base.context.log,
           .run_starter = jobs_},
          management.base.context.own.name),
      calendars_(
          {.windows = management.base.windows.store,
           .clock = management.base.context.clock,
           .log = management.base.context.log,
           .source = management.calendars,
           .planned = &management.jobs.rescheduler},
          {.server = management.base.context.own.name, .interval = calendar_interval}),
      channels_(
          {.content = management.content.store,
           .syncs = management.content.syncs,
           .clock = management.base.context.clock,
           .log = management.base.context.log}) {}

void due_work::start(runtime::task_group& loops, const std::atomic<bool>& active) {
    loops.spawn("start due schedules", schedules_.run_loop(active));
    loops.spawn("refresh calendars", calendars_.run(active));
    loops.spawn("start due channel synchronisations", channels_.run(active));
    loops.spawn("synchronise channels", management_.content.syncs.run());
}

}  // namespace muster::roles

#pragma once

#include "services/jobs/job_service.h"
#include "services/jobs/job_services.h"
#include "services/jobs/task_state_cache.h"
#include "services/scheduling/job_rescheduler.h"
#include "services/scheduling/job_window_service.h"

namespace muster::scheduling {

// Owns the services that create and change jobs, with regard to maintenance windows.
struct job_management {
    struct dependencies {
        jobs::job_services& jobs;
        windows::window_store& windows;
        const presence::presence_lookup& presence;
        muster::metastore& metastore;
        muster::clock& clock;
        runtime::logger& log;
    };

    job_management(const dependencies& deps, const jobs::job_service::options& options)
        : task_states(deps.jobs.store, deps.log, {}),
          windows(deps.windows, deps.jobs.durations, deps.clock),
          rescheduler(
              {.jobs = deps.jobs.store,
               .open_jobs = deps.jobs.open,
               .windows = deps.windows,
               .clock = deps.clock}),
          service(
              {.jobs = deps.jobs.store,
               .task_states = task_states,
               .metastore = deps.metastore,
               .presence = deps.presence,
               .windows = &windows,
               .open_jobs = &deps.jobs.open.size()},
              options) {}

    void start(runtime::task_group& loops) { loops.spawn("follow the tasks", task_states.run()); }
    void export_metrics(runtime::metrics& metrics) const { task_states.export_to(metrics); }

    jobs::task_state_cache task_states;
    job_window_service windows;
    job_rescheduler rescheduler;
    jobs::job_service service;
};

}  // namespace muster::scheduling

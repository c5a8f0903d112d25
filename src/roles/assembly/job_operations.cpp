#include "roles/assembly/job_operations.h"

namespace muster::roles {

job_operations::job_operations(
    management_services& management, const api::system_directory& directory)
    : reader_(
          management.base.jobs.store,
          management.jobs.task_states,
          management.jobs.windows,
          management.base.context.clock),
      nodes_(
          {.systems = management.base.fleet.systems,
           .topology = management.base.cluster.topology,
           .clock = management.base.context.clock,
           .tls = management.base.context.credentials}),
      jobs_(
          {.job_service = management.jobs.service,
           .reader = reader_,
           .targets = management.base.fleet.targets,
           .clock = management.base.context.clock,
           .windows = &management.jobs.windows}),
      running_tasks_({.targets = management.base.fleet.targets, .nodes = nodes_}),
      results_(
          {.reader = reader_,
           .open_jobs = management.base.jobs.open,
           .targets = management.base.fleet.targets,
           .topology = management.base.cluster.topology,
           .clock = management.base.context.clock,
           .windows = &management.jobs.windows,
           .running_tasks = &running_tasks_}),
      output_(
          {.reader = reader_,
           .targets = management.base.fleet.targets,
           .nodes = nodes_,
           .clock = management.base.context.clock}),
      events_(
          {.log = management.base.events.log,
           .watcher = management.base.events.watcher,
           .clock = management.base.context.clock,
           .systems = directory,
           .names = management.base.events.names}),
      webhooks_(
          {.webhooks = management.webhooks.store,
           .log = management.base.events.log,
           .addresses = management.webhooks.addresses,
           .clock = management.base.context.clock}) {}

result<void> job_operations::declare(api::registry& operations) {
    CHECK_OK(jobs_.declare(operations));
    CHECK_OK(results_.declare(operations));
    CHECK_OK(output_.declare(operations));
    CHECK_OK(running_tasks_.declare(operations));
    CHECK_OK(events_.declare(operations));
    return webhooks_.declare(operations);
}

}  // namespace muster::roles

#include "roles/assembly/fleet_operations.h"

namespace muster::roles {

fleet_operations::fleet_operations(
    management_services& management,
    const api::registry& operations,
    std::chrono::hours history_retention)
    : label_policy_(management.configuration.channels),
      bulk_operations_(management.base.context.clock),
      systems_(
          {.systems = management.base.fleet.systems,
           .keys = management.systems,
           .operations = bulk_operations_,
           .presence = management.base.presence.attached,
           .topology = management.base.cluster.topology,
           .clock = management.base.context.clock,
           .search = management.base.fleet.index,
           .groups = management.base.fleet.groups,
           .schedules = &management.base.windows.store,
           .label_policy = &label_policy_}),
      groups_(management.base.fleet.groups, management.base.context.clock),
      tags_(management.base.fleet.index),
      rules_(management.base.fleet.rules, management.base.context.clock, &label_policy_),
      windows_(
          {.windows = management.base.windows.store,
           .systems = management.base.fleet.systems,
           .targets = management.base.fleet.targets,
           .calendars = management.calendars,
           .clock = management.base.context.clock,
           .planned_jobs = &management.jobs.rescheduler}),
      schedules_(management.base.windows.store, management.base.context.clock),
      configuration_(
          {.deployment = management.deployment,
           .targets = management.base.fleet.targets,
           .operations = operations,
           .clock = management.base.context.clock}),
      history_reader_(management.base.cluster.engines.ledger, management.base.context.clock),
      history_(
          {.history = history_reader_,
           .topology = management.base.cluster.topology,
           .clock = management.base.context.clock,
           .retention = history_retention,
           .systems = systems_}) {}

result<void> fleet_operations::declare(api::registry& operations) {
    CHECK_OK(systems_.declare(operations));
    CHECK_OK(groups_.declare(operations));
    CHECK_OK(tags_.declare(operations));
    CHECK_OK(rules_.declare(operations));
    CHECK_OK(windows_.declare(operations));
    CHECK_OK(schedules_.declare(operations));
    CHECK_OK(configuration_.declare(operations));
    return history_.declare(operations);
}

void fleet_operations::start(runtime::task_group& loops) {
    loops.spawn("run bulk operations", bulk_operations_.run());
}

}  // namespace muster::roles

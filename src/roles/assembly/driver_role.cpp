#include "roles/assembly/driver_role.h"

#include "ports/deadline.h"

#include <utility>

namespace muster::roles {

driver_role::driver_role(management_services& management, const options& options)
    : base_(management.base),
      inputs_(
          {.follower = base_.cluster.follower,
           .topology = base_.cluster.topology,
           .systems = base_.fleet.systems,
           .loads = base_.presence.loads,
           .probes = base_.probes}),
      driver_(
          {.metastore = base_.cluster.engines.metastore,
           .clock = base_.context.clock,
           .topology = base_.cluster.topology,
           .publish =
               [this](stream::message message) { base_.cluster.bus.publish(std::move(message)); },
           .log = base_.context.log},
          inputs_,
          {.server = base_.context.own.name,
           .plan_interval = options.plan_interval,
           .moves_per_step = options.moves_per_step}),
      job_supervisor_(
          {.jobs = base_.jobs.store,
           .open_jobs = base_.jobs.open,
           .task_states = management.jobs.task_states,
           .clock = base_.context.clock,
           .log = base_.context.log},
          {}),
      job_quotas_(
          {.metastore = base_.cluster.engines.metastore,
           .jobs = base_.jobs.store,
           .open_jobs = base_.jobs.open,
           .topology = base_.cluster.topology,
           .clock = base_.context.clock,
           .log = base_.context.log},
          {}),
      events_(management, management.authorities),
      due_work_(management, options.calendar_refresh),
      pruners_(management, options.retention, management.pool_max) {
    base_.cluster.follower.wake_on_change(driver_);
    driver_.export_to(base_.context.metrics);
    events_.export_metrics(base_.context.metrics);
    pruners_.export_metrics(base_.context.metrics);
}

void driver_role::start(runtime::task_group& loops) {
    const auto& active = driver_.counts().active;
    loops.spawn("run the driver", driver_.run());
    loops.spawn("supervise jobs", job_supervisor_.run(active));
    loops.spawn("allocate job quotas", job_quotas_.run(active));
    events_.start(loops, active);
    due_work_.start(loops, active);
    pruners_.start(loops, active);
}

boost::asio::awaitable<void> driver_role::stop() {
    ignore_error(
        co_await within(base_.context.clock, stop_timeout, driver_.leave()),
        "another driver takes over when the lease expires");
}

}  // namespace muster::roles

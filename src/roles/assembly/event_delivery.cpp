#include "roles/assembly/event_delivery.h"

#include <cstdint>
#include <utility>

namespace muster::roles {

event_delivery::event_delivery(management_services& management, std::filesystem::path authorities)
    : recorder_(
          {.events = management.base.events.log,
           .topology = management.base.cluster.topology,
           .windows = management.base.windows.store,
           .job_store = management.base.jobs.store,
           .jobs = management.base.jobs.open,
           .task_states = management.jobs.task_states,
           .clock = management.base.context.clock,
           .log = management.base.context.log},
          {}),
      publisher_(
          management.base.events.log, management.base.cluster.bus, management.base.context.log),
      webhooks_(
          {.events = management.base.events.log,
           .watcher = management.base.events.watcher,
           .webhooks = management.webhooks.store,
           .addresses = management.webhooks.addresses,
           .clock = management.base.context.clock,
           .log = management.base.context.log,
           .names = management.base.events.names},
          {.authorities = std::move(authorities),
           .seed = static_cast<std::uint64_t>(
               management.base.context.clock.wall().time_since_epoch().count())}) {}

void event_delivery::start(runtime::task_group& loops, const std::atomic<bool>& active) {
    loops.spawn("record state events", recorder_.run(active));
    loops.spawn("publish events on the bus", publisher_.run(active));
    loops.spawn("deliver webhooks", webhooks_.run(active, loops));
}

}  // namespace muster::roles

#include "roles/assembly/record_pruners.h"

#include "services/schema/ledger_schema.h"

namespace muster::roles {

record_pruners::record_pruners(
    management_services& management, const options& options, std::size_t pool_max)
    : evicted_keys_(
          management.systems,
          management.base.fleet.systems,
          management.base.context.clock,
          management.base.context.log,
          {.crowded_pool = pool_max}),
      job_records_(
          {.jobs = management.base.jobs.store,
           .clock = management.base.context.clock,
           .log = management.base.context.log,
           .schema = schema::ledger_schema()},
          options.jobs),
      presence_history_(
          {.ledger = management.base.cluster.engines.ledger,
           .topology = management.base.cluster.topology,
           .clock = management.base.context.clock,
           .log = management.base.context.log},
          {.retention = options.presence_retention}),
      file_contents_(
          management.configuration.files,
          management.base.context.clock,
          management.base.context.log) {}

void record_pruners::start(runtime::task_group& loops, const std::atomic<bool>& active) {
    loops.spawn("remove evicted keys", evicted_keys_.run(active));
    loops.spawn("remove old job records", job_records_.run(active));
    loops.spawn("remove old presence history", presence_history_.run(active));
    loops.spawn("remove unused file contents", file_contents_.run(active));
}

}  // namespace muster::roles

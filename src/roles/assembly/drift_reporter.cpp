#include "roles/assembly/drift_reporter.h"

#include "services/common_data/common_sources.h"

namespace muster::roles {

drift_reporter::drift_reporter(server_services& base)
    : revisions_(
          {.metastore = base.cluster.engines.metastore,
           .ledger = base.cluster.engines.ledger,
           .held = common_data::common_sources(
               {.metastore = base.cluster.engines.metastore,
                .groups = base.fleet.groups,
                .windows = base.windows.store,
                .rules = base.fleet.rules,
                .people = base.people}),
           .executor = no_changes_,
           .events = base.events.writer,
           .clock = base.context.clock,
           .log = base.context.log},
          {.server = base.context.own.name,
           .address = base.context.own.address,
           .ttl = base.context.lease_ttl,
           .edits = false}) {}

}  // namespace muster::roles

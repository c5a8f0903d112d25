#include "roles/assembly/revision_operations.h"

#include "services/common_data/common_sources.h"

namespace muster::roles {

revision_operations::revision_operations(
    management_services& management,
    const api::registry& operations,
    api::operation_lookup others,
    revision::editing_rules rules)
    : executor_(
          {.operations = operations,
           .authenticator = management.base.context.authenticator,
           .others = others}),
      editing_(
          {.metastore = management.base.cluster.engines.metastore,
           .ledger = management.base.cluster.engines.ledger,
           .held = common_data::common_sources(
               {.metastore = management.base.cluster.engines.metastore,
                .groups = management.base.fleet.groups,
                .windows = management.base.windows.store,
                .rules = management.base.fleet.rules,
                .people = management.base.people,
                .people_follower = &management.base.people_follower,
                .content = &management.content.store,
                .configuration = &management.configuration.records}),
           .executor = executor_,
           .events = management.base.events.writer,
           .clock = management.base.context.clock,
           .log = management.base.context.log},
          {.server = management.base.context.own.name,
           .address = management.base.context.own.address,
           .ttl = management.base.context.lease_ttl,
           .edits = true,
           .rules = rules}),
      leader_(
          {.operations = operations,
           .authenticator = management.base.context.authenticator,
           .clock = management.base.context.clock,
           .tls = management.base.context.credentials,
           .others = others}),
      interceptor_(
          {.metastore = management.base.cluster.engines.metastore,
           .lock = editing_.lock(),
           .drafts = editing_.drafts(),
           .leader = leader_,
           .clock = management.base.context.clock,
           .log = management.base.context.log,
           .server = management.base.context.own.name,
           .reconciler = editing_.reconciler(),
           .others = others}),
      sessions_(
          {.changes = interceptor_,
           .drafts = editing_.drafts(),
           .edit_state = editing_.state(),
           .held = editing_.held(),
           .clock = management.base.context.clock}),
      revisions_(
          {.revisions = editing_.published(),
           .edit_state = editing_.state(),
           .clock = management.base.context.clock,
           .grace = editing_.grace()}),
      reverts_(
          {.revisions = editing_.published(),
           .edit_state = editing_.state(),
           .clock = management.base.context.clock}) {}

result<void> revision_operations::declare(api::registry& operations) {
    operations.set_interceptor(interceptor_);
    CHECK_OK(sessions_.declare(operations));
    CHECK_OK(reverts_.declare(operations));
    return revisions_.declare(operations);
}

}  // namespace muster::roles

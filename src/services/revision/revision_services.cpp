#include "services/revision/revision_services.h"

#include <functional>
#include <utility>

namespace muster::revision {

revision_services::revision_services(dependencies deps, const options& options)
    : edits_(options.edits),
      grace_(options.grace),
      sources_(std::move(deps.held)),
      follower_(deps.metastore, deps.clock, state_, deps.log),
      lock_(
          {.metastore = deps.metastore, .clock = deps.clock, .log = deps.log},
          {.server = options.server, .address = options.address, .ttl = options.ttl}),
      drafts_(deps.metastore, deps.clock, options.rules),
      published_(deps.ledger),
      publisher_(
          {.metastore = deps.metastore,
           .revisions = published_,
           .common_data = sources_,
           .clock = deps.clock}),
      applier_(
          {.metastore = deps.metastore,
           .drafts = drafts_,
           .publisher = publisher_,
           .clock = deps.clock,
           .log = deps.log,
           .executor = deps.executor}),
      drift_(
          {.metastore = deps.metastore,
           .edit_state = state_,
           .common_data = sources_,
           .clock = deps.clock,
           .log = deps.log,
           .events = deps.events},
          {.server = options.server, .grace = options.grace}),
      reconciler_(
          {.metastore = deps.metastore,
           .lock = lock_,
           .drafts = drafts_,
           .applier = applier_,
           .publisher = publisher_,
           .drift = drift_,
           .edit_state = state_,
           .follower = &follower_,
           .clock = deps.clock,
           .log = deps.log,
           .events = deps.events},
          {.server = options.server,
           .leads = options.edits,
           .grace = options.grace,
           .seed = std::hash<std::string>()(options.server)}) {
    follower_.wake_on_change(reconciler_);
}

void revision_services::start(runtime::task_group& loops) {
    loops.spawn("follow edit state", follower_.run());
    if (edits_) loops.spawn("keep edit leadership", lock_.run());
    loops.spawn("reconcile common data", reconciler_.run());
}

}  // namespace muster::revision

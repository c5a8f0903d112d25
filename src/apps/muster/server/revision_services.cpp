#include "apps/muster/server/revision_services.h"

#include <utility>

namespace muster::server {

revision_services::revision_services(const dependencies& deps, const options& options)
    : gateway_(options.gateway),
      sources_(common_data::common_sources(deps.books)),
      follower_(deps.books.store, deps.time, known_, deps.log),
      seat_(
          {.store = deps.books.store, .time = deps.time, .log = deps.log},
          {.server = options.server, .address = options.address, .ttl = options.ttl}),
      desk_(deps.books.store, deps.time, options.rules),
      kept_(deps.records),
      printing_({.store = deps.books.store, .kept = kept_, .from = sources_, .time = deps.time}),
      work_(
          {.store = deps.books.store,
           .desk = desk_,
           .printing = printing_,
           .time = deps.time,
           .log = deps.log,
           .carry_out =
               [this, all = &deps.operations, desk = &deps.desk](revision::draft_change change) {
                   return changes_.carry_out(std::move(change), all, desk);
               }}),
      drift_(
          {.store = deps.books.store,
           .known = known_,
           .from = sources_,
           .time = deps.time,
           .log = deps.log,
           .told = deps.told},
          {.server = options.server, .grace = options.grace}),
      keeper_(
          {.store = deps.books.store,
           .seat = seat_,
           .desk = desk_,
           .work = work_,
           .printing = printing_,
           .drift = drift_,
           .known = known_,
           .complete = [this] { return follower_.complete(); },
           .time = deps.time,
           .log = deps.log,
           .told = deps.told},
          {.server = options.server,
           .leads = options.gateway,
           .grace = options.grace,
           .seed = std::hash<std::string>()(options.server)}),
      line_(
          {.all = deps.operations,
           .desk = deps.desk,
           .time = deps.time,
           .tls = deps.peer_tls,
           .others = deps.others}),
      changes_(
          {.store = deps.books.store,
           .seat = seat_,
           .desk = desk_,
           .line = line_,
           .time = deps.time,
           .log = deps.log,
           .server = options.server,
           .changed = [this] { keeper_.ring(); },
           .others = deps.others}),
      edits_api_(
          {.changes = changes_,
           .desk = desk_,
           .known = known_,
           .held = sources_,
           .time = deps.time}),
      revisions_api_({.kept = kept_, .known = known_, .time = deps.time, .grace = options.grace}) {
    follower_.on_change([this] { keeper_.ring(); });
}

result<void> revision_services::declare(api::registry& to) {
    to.guard_with(changes_);
    CHECK_OK(edits_api_.declare(to));
    return revisions_api_.declare(to);
}

void revision_services::begin(runtime::task_group& work) {
    work.spawn("follow the editing of common data", follower_.run());
    if (gateway_) work.spawn("keep the lead", seat_.run());
    work.spawn("look after common data", keeper_.run());
}

}  // namespace muster::server

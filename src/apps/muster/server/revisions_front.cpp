#include "apps/muster/server/revisions_front.h"

#include <utility>

namespace muster::server {

revisions_front::revisions_front(const surroundings& around, const options& how)
    : gateway_(how.gateway),
      sources_(common_sources(around.books)),
      follower_(around.books.store, around.time, known_, around.log),
      seat_(
          {.store = around.books.store, .time = around.time, .log = around.log},
          {.server = how.server, .address = how.address, .ttl = how.ttl}),
      desk_(around.books.store, around.time, how.rules),
      kept_(around.records),
      printing_(
          {.store = around.books.store, .kept = kept_, .from = sources_, .time = around.time}),
      work_(
          {.store = around.books.store,
           .desk = desk_,
           .printing = printing_,
           .time = around.time,
           .log = around.log,
           .carry_out =
               [this, all = &around.operations, desk = &around.desk](
                   revision::drafted_change change) {
                   return changes_.carry_out(std::move(change), all, desk);
               }}),
      drift_(
          {.store = around.books.store,
           .known = known_,
           .from = sources_,
           .time = around.time,
           .log = around.log,
           .told = around.told},
          {.server = how.server, .grace = how.grace}),
      keeper_(
          {.store = around.books.store,
           .seat = seat_,
           .desk = desk_,
           .work = work_,
           .printing = printing_,
           .drift = drift_,
           .known = known_,
           .complete = [this] { return follower_.complete(); },
           .time = around.time,
           .log = around.log,
           .told = around.told},
          {.server = how.server,
           .leads = how.gateway,
           .grace = how.grace,
           .seed = std::hash<std::string>()(how.server)}),
      line_(
          {.all = around.operations,
           .desk = around.desk,
           .time = around.time,
           .tls = around.peer_tls,
           .others = around.others}),
      changes_(
          {.store = around.books.store,
           .seat = seat_,
           .desk = desk_,
           .line = line_,
           .time = around.time,
           .log = around.log,
           .server = how.server,
           .changed = [this] { keeper_.ring(); },
           .others = around.others}),
      edits_api_(
          {.changes = changes_,
           .desk = desk_,
           .known = known_,
           .held = sources_,
           .time = around.time}),
      revisions_api_({.kept = kept_, .known = known_, .time = around.time, .grace = how.grace}) {
    follower_.on_change([this] { keeper_.ring(); });
}

result<void> revisions_front::declare(api::registry& to) {
    to.guard_with(changes_);
    CHECK_OK(edits_api_.declare(to));
    return revisions_api_.declare(to);
}

void revisions_front::begin(runtime::task_group& work) {
    work.spawn("follow the editing of common data", follower_.run());
    if (gateway_) work.spawn("keep the lead", seat_.run());
    work.spawn("look after common data", keeper_.run());
}

}  // namespace muster::server

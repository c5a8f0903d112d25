#include "apps/muster/server/events_front.h"

#include <cstdint>
#include <utility>

namespace muster::server {
namespace {

events::system_names names_from(const gateway::job_targets& targets) {
    return [&targets](std::int64_t number) {
        return targets.name_of(system_number(number));
    };
}

}  // namespace

events_front::events_front(const surroundings& around)
    : targets_({.known = around.systems, .seen = around.seen, .resolve = nullptr}),
      log_(around.records, around.time),
      writer_(log_, around.log),
      webhooks_(around.store),
      notary_(
          {.events = log_,
           .topology = around.topology,
           .windows = around.windows,
           .records = around.jobs,
           .jobs = around.open_jobs,
           .board = around.board,
           .time = around.time,
           .log = around.log},
          {}),
      ringer_(log_, around.bell, around.log),
      courier_(
          {.events = log_,
           .book = webhooks_,
           .time = around.time,
           .log = around.log,
           .names = names_from(targets_)},
          {.seed = static_cast<std::uint64_t>(around.time.wall().time_since_epoch().count())}),
      events_api_(
          {.desk = around.desk,
           .log = log_,
           .time = around.time,
           .system = [this](const std::string& named) { return targets_.one(named); },
           .names = names_from(targets_)}),
      webhooks_api_({.desk = around.desk, .book = webhooks_, .log = log_, .time = around.time}) {}

result<void> events_front::add_routes(net::http::router& to) {
    CHECK_OK(events_api_.add_routes(to));
    return webhooks_api_.add_routes(to);
}

void events_front::export_to(runtime::metrics& where) const {
    where.watch_counter(
        {"muster_events_dropped_total", "Events that were not brought on record."},
        [this] { return static_cast<double>(writer_.dropped()); });
    courier_.export_to(where);
}

void events_front::begin(runtime::task_group& work) {
    work.spawn("bring events on record", writer_.run());
}

void events_front::begin_driving(runtime::task_group& work, std::function<bool()> active) {
    work.spawn("tell what happened", notary_.run(active));
    work.spawn("ring for events", ringer_.run(active));
    work.spawn("serve webhooks", courier_.run(active, work));
}

}  // namespace muster::server

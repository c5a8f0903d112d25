#include "apps/muster/server/events_front.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::server {
namespace {

events::system_names names_from(const api::job_targets& targets) {
    return [&targets](std::int64_t number) {
        return targets.name_of(system_number(number));
    };
}

events::webhook_gate::options gate_of(const events_front::surroundings& around) {
    auto how = around.webhooks;
    how.servers = [&known = around.topology] {
        return servers_in(*known.read());
    };
    return how;
}

}  // namespace

std::vector<endpoint> servers_in(const cluster::topology& known) {
    std::vector<endpoint> found;
    const auto add = [&](const std::string& address) {
        if (auto read = parse_endpoint(address)) found.push_back(*std::move(read));
    };
    for (const auto& [name, each] : known.servers) add(each.address);
    for (const auto& [name, each] : known.nodes) add(each.address);
    return found;
}

events_front::events_front(const surroundings& around)
    : targets_({.known = around.systems, .seen = around.seen, .resolve = nullptr}),
      log_(around.records, around.time),
      tail_(around.records, around.time, {}),
      writer_(log_, around.log),
      gate_(gate_of(around)),
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
           .tail = tail_,
           .book = webhooks_,
           .gate = gate_,
           .time = around.time,
           .log = around.log,
           .names = names_from(targets_)},
          {.authorities = around.authorities,
           .seed = static_cast<std::uint64_t>(around.time.wall().time_since_epoch().count())}),
      events_api_(
          {.log = log_,
           .tail = tail_,
           .time = around.time,
           .system = [this](const std::string& named) { return targets_.one(named); },
           .names = names_from(targets_),
           .zone_of =
               [&systems = around.systems](std::int64_t number) {
                   const auto record = systems.find(system_number(number));
                   return record ? std::optional(record->zone) : std::nullopt;
               }}),
      webhooks_api_({.book = webhooks_, .log = log_, .gate = gate_, .time = around.time}) {}

result<void> events_front::declare(api::registry& to) {
    CHECK_OK(events_api_.declare(to));
    return webhooks_api_.declare(to);
}

void events_front::export_to(runtime::metrics& where) const {
    where.watch_counter(
        {"muster_events_dropped_total", "Events that were not brought on record."},
        [this] { return static_cast<double>(writer_.dropped()); });
    courier_.export_to(where);
    events_api_.export_to(where);
}

void events_front::begin(runtime::task_group& work) {
    work.spawn("bring events on record", writer_.run());
    work.spawn("follow events for all who wait", tail_.follow_events());
    work.spawn("follow returns for all who wait", tail_.follow_returns());
}

void events_front::begin_driving(runtime::task_group& work, std::function<bool()> active) {
    work.spawn("tell what happened", notary_.run(active));
    work.spawn("ring for events", ringer_.run(active));
    work.spawn("serve webhooks", courier_.run(active, work));
}

}  // namespace muster::server

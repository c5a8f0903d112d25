#include "apps/muster/server/event_services.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::server {
namespace {

events::system_names names_from(const api::target_resolver& targets) {
    return [&targets](std::int64_t number) {
        return targets.name_of(system_number(number));
    };
}

events::webhook_address_policy::options gate_of(const event_services::dependencies& deps) {
    auto how = deps.webhooks;
    how.servers = [&known = deps.topology] {
        return servers_in(*known.read());
    };
    return how;
}

}  // namespace

std::vector<endpoint> servers_in(const cluster::topology& topology) {
    std::vector<endpoint> endpoints;
    const auto add = [&](const std::string& address) {
        if (auto read = parse_endpoint(address)) endpoints.push_back(*std::move(read));
    };
    for (const auto& [name, each] : topology.servers) add(each.address);
    for (const auto& [name, each] : topology.nodes) add(each.address);
    return endpoints;
}

event_services::event_services(const dependencies& deps)
    : targets_({.known = deps.systems, .seen = deps.seen, .resolve = nullptr}),
      log_(deps.records, deps.time),
      tail_(deps.records, deps.time, {}),
      writer_(log_, deps.log),
      gate_(gate_of(deps)),
      webhooks_(deps.store),
      notary_(
          {.events = log_,
           .topology = deps.topology,
           .windows = deps.windows,
           .records = deps.jobs,
           .jobs = deps.open_jobs,
           .board = deps.board,
           .time = deps.time,
           .log = deps.log},
          {}),
      ringer_(log_, deps.bell, deps.log),
      courier_(
          {.events = log_,
           .tail = tail_,
           .book = webhooks_,
           .gate = gate_,
           .time = deps.time,
           .log = deps.log,
           .names = names_from(targets_)},
          {.authorities = deps.authorities,
           .seed = static_cast<std::uint64_t>(deps.time.wall().time_since_epoch().count())}),
      events_api_(
          {.log = log_,
           .tail = tail_,
           .time = deps.time,
           .system = [this](const std::string& named) { return targets_.one(named); },
           .names = names_from(targets_),
           .zone_of =
               [&systems = deps.systems](std::int64_t number) {
                   const auto record = systems.find(system_number(number));
                   return record ? std::optional(record->zone) : std::nullopt;
               }}),
      webhooks_api_({.book = webhooks_, .log = log_, .gate = gate_, .time = deps.time}) {}

result<void> event_services::declare(api::registry& to) {
    CHECK_OK(events_api_.declare(to));
    return webhooks_api_.declare(to);
}

void event_services::export_to(runtime::metrics& where) const {
    where.watch_counter(
        {"muster_events_dropped_total", "Events that were not brought on record."},
        [this] { return static_cast<double>(writer_.dropped()); });
    courier_.export_to(where);
    events_api_.export_to(where);
}

void event_services::begin(runtime::task_group& work) {
    work.spawn("bring events on record", writer_.run());
    work.spawn("follow events for all who wait", tail_.follow_events());
    work.spawn("follow returns for all who wait", tail_.follow_returns());
}

void event_services::begin_driving(runtime::task_group& work, std::function<bool()> active) {
    work.spawn("tell what happened", notary_.run(active));
    work.spawn("ring for events", ringer_.run(active));
    work.spawn("serve webhooks", courier_.run(active, work));
}

}  // namespace muster::server

#include "apps/muster/server/presence_history_services.h"

#include <utility>

namespace muster::server {
namespace {

node_number number_in(const cluster::topology_cache& topology, const std::string& server) {
    const auto existing = topology.read();
    const auto own = existing->nodes.find(server);
    return own == existing->nodes.end() ? node_number() : own->second.number;
}

}  // namespace

presence_history_services::presence_history_services(
    const dependencies& deps, const options& options)
    : keeper_(
          {.records = deps.records,
           .time = deps.time,
           .log = deps.log,
           .node = [&topology = deps.topology,
                    server = options.server] { return number_in(topology, server); },
           .start = deps.start},
          {}),
      reader_(deps.records, deps.time),
      warden_(
          {.records = deps.records, .topology = deps.topology, .time = deps.time, .log = deps.log},
          {.keep = options.keep}),
      api_(
          {.record = reader_,
           .places = deps.topology,
           .time = deps.time,
           .keep = options.keep,
           .find = deps.find}) {}

void presence_history_services::begin_keeping(
    runtime::task_group& work, runtime::metrics& counted) {
    keeper_.export_to(counted);
    work.spawn("write down who comes and goes", keeper_.run());
}

void presence_history_services::begin_driving(
    runtime::task_group& work, std::function<bool()> active) {
    work.spawn("tend the record of presence", warden_.run(std::move(active)));
}

}  // namespace muster::server

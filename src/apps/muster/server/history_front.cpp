#include "apps/muster/server/history_front.h"

#include <utility>

namespace muster::server {
namespace {

node_number number_in(const cluster::topology_cell& topology, const std::string& server) {
    const auto known = topology.read();
    const auto own = known->nodes.find(server);
    return own == known->nodes.end() ? node_number() : own->second.number;
}

}  // namespace

history_front::history_front(const surroundings& around, const options& how)
    : keeper_(
          {.records = around.records,
           .time = around.time,
           .log = around.log,
           .node = [&topology = around.topology,
                    server = how.server] { return number_in(topology, server); },
           .start = around.start},
          {}),
      reader_(around.records, around.time),
      warden_(
          {.records = around.records,
           .topology = around.topology,
           .time = around.time,
           .log = around.log},
          {.keep = how.keep}),
      api_(
          {.record = reader_,
           .places = around.topology,
           .time = around.time,
           .keep = how.keep,
           .find = around.find}) {}

void history_front::begin_keeping(runtime::task_group& work, runtime::metrics& counted) {
    keeper_.export_to(counted);
    work.spawn("write down who comes and goes", keeper_.run());
}

void history_front::begin_driving(runtime::task_group& work, std::function<bool()> active) {
    work.spawn("tend the record of presence", warden_.run(std::move(active)));
}

}  // namespace muster::server

#include "roles/assembly/node_role.h"

#include "ports/deadline.h"

#include <string>
#include <utility>

namespace muster::roles {
namespace {

// Unique for each start of a server.
std::string process_name(const server_context& server) {
    return server.own.instance + "."
           + std::to_string(server.clock.wall().time_since_epoch().count());
}

}  // namespace

node_role::node_role(server_services& base, const options& options)
    : base_(base),
      record_(
          base.cluster.engines.metastore,
          {.clock = base.context.clock,
           .topology = base.cluster.topology,
           .publish =
               [this](stream::message message) { base_.cluster.bus.publish(std::move(message)); },
           .log = base.context.log},
          {.identity =
               {.name = base.context.own.name,
                .instance = base.context.own.instance,
                .address = base.context.own.address},
           .wipe =
               [this] {
                   dispatch_.tasks.wipe();
                   connections_.close_all();
               }}),
      connections_(
          {.locator =
               {.systems = base.fleet.systems,
                .topology = base.cluster.topology,
                .lease = base.cluster.lease,
                .clock = base.context.clock},
           .ledger = base.cluster.engines.ledger,
           .tasks = inbox_,
           .log = base.context.log,
           .metrics = base.context.metrics},
          {.own = {.name = base.context.own.name, .instance = base.context.own.instance},
           .channels = options.connections}),
      peer_api_(connections_.observers(), base.context.clock),
      dispatch_(
          {.cluster = base.cluster,
           .jobs = base.jobs,
           .windows = base.windows.store,
           .systems = base.fleet.systems,
           .inbox = inbox_,
           .agents = connections_,
           .clock = base.context.clock,
           .log = base.context.log},
          {.self = node_id(base.context.own.name),
           .handover = base.context.lease_ttl,
           .node_points = options.node_points,
           .system_points = options.system_points,
           .jobs_max = options.open_jobs_max},
          process_name(base.context)),
      presence_(
          {.cluster = base.cluster,
           .attached = connections_.attached(),
           .clock = base.context.clock,
           .log = base.context.log},
          base.context.own.name) {
    base.cluster.follower.wake_on_change(record_);
    base.fleet.systems.watch([this](std::span<const fleet::change> changes) {
        connections_.on_systems_changed(changes);
        dispatch_.tasks.on_systems_changed(changes);
    });
    dispatch_.tasks.export_to(base.context.metrics);
    presence_.history.export_to(base.context.metrics);
}

void node_role::start(runtime::task_group& loops) {
    loops.spawn("reconcile the node record", record_.run());
    loops.spawn("supervise agent connections", connections_.run());
    loops.spawn("write facts", connections_.write_facts());
    presence_.start(loops);
    dispatch_.start(loops);
    loops.spawn("relay task output", connections_.observers().output().run());
}

// Goes offline before the lease ends, so that a planned stop does not count as a failure.
boost::asio::awaitable<void> node_role::stop() {
    const auto outcome = co_await within(base_.context.clock, stop_timeout, record_.go_offline());
    if (!outcome)
        base_.context.log.warning(
            "node offline update failed",
            {{"node", base_.context.own.name}, {"error", to_string(outcome.error())}});
    auto final_write = presence_.history.finish(connections_.attached().take_changes());
    ignore_error(
        co_await within(base_.context.clock, stop_timeout, std::move(final_write)),
        "presence history then ends before the stop of this node");
}

}  // namespace muster::roles

#include "roles/assembly/server_services.h"

#include "ports/deadline.h"

namespace muster::roles {

server_services::server_services(const server_context& server, const options& options)
    : context(server),
      cluster(
          {.engines = server.engines,
           .clock = server.clock,
           .readiness = server.state,
           .log = server.log},
          {.server = server.own, .ttl = server.lease_ttl}),
      people_follower(server.engines.metastore, server.clock, people, server.log, {}),
      presence({.cluster = cluster, .clock = server.clock, .log = server.log}),
      fleet({.cluster = cluster, .presence = presence, .clock = server.clock, .log = server.log}),
      windows({.ledger = server.engines.ledger, .clock = server.clock, .log = server.log}),
      jobs({.ledger = server.engines.ledger, .clock = server.clock, .log = server.log}),
      events(
          {.ledger = server.engines.ledger,
           .systems = fleet.systems,
           .clock = server.clock,
           .log = server.log}),
      probes(server.clock, server.credentials, {}),
      peers({.clock = server.clock, .tls = server.credentials}, options.peers),
      servers(
          {.topology = cluster.topology,
           .peers = peers,
           .clock = server.clock,
           .counters = counters,
           .self = server.own.name}) {
    cluster.export_metrics(server.metrics);
    presence.export_metrics(server.metrics);
    fleet.export_metrics(server.metrics);
    windows.export_metrics(server.metrics);
    jobs.export_metrics(server.metrics);
    events.export_metrics(server.metrics);
}

result<void> server_services::add_routes(net::http::router& routes) {
    CHECK_OK(probes.add_routes(routes));
    return servers.add_routes(routes);
}

void server_services::start(runtime::task_group& loops) {
    cluster.start(loops);
    presence.start(loops);
    fleet.start(loops);
    windows.start(loops);
    jobs.start(loops);
    events.start(loops);
}

boost::asio::awaitable<void> server_services::stop() {
    ignore_error(
        co_await within(context.clock, stop_timeout, events.writer.flush()),
        "events are lost when the ledger is unavailable");
    ignore_error(
        co_await within(context.clock, stop_timeout, cluster.bus.flush()),
        "other servers read the metastore without a message");
    const auto outcome = co_await within(context.clock, stop_timeout, cluster.membership.leave());
    if (!outcome)
        context.log.warning(
            "server record removal failed",
            {{"server", context.own.name},
             {"error", to_string(outcome.error())},
             {"hint", "the record is removed when its lease expires"}});
}

}  // namespace muster::roles

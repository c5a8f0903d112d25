#include "roles/assembly/management_services.h"

#include <algorithm>
#include <iterator>

namespace muster::roles {
namespace {

// Blocks the addresses of the cluster for repositories.
repository::repository_reader::options repository_options(
    const management_services::options& options, const cluster::topology_cache& topology) {
    auto repositories = options.repositories;
    repositories.addresses.blocked = [closed = options.closed_addresses, &topology] {
        auto addresses = closed;
        std::ranges::move(
            cluster::server_addresses(*topology.read()), std::back_inserter(addresses));
        return addresses;
    };
    return repositories;
}

}  // namespace

management_services::management_services(server_services& shared, const options& options)
    : base(shared),
      key_events(base.events.writer, base.context.clock),
      systems(
          {.engines = base.cluster.engines,
           .systems = base.fleet.systems,
           .bus = base.cluster.bus,
           .clock = base.context.clock,
           .listener = &key_events}),
      enrolment(systems, base.fleet.rules, options.enrolment),
      facts(
          {.ledger = base.cluster.engines.ledger,
           .systems = base.fleet.systems,
           .search = base.fleet.index,
           .clock = base.context.clock,
           .log = base.context.log},
          {}),
      jobs(
          {.jobs = base.jobs,
           .windows = base.windows.store,
           .presence = base.presence.lookup,
           .metastore = base.cluster.engines.metastore,
           .clock = base.context.clock,
           .log = base.context.log},
          options.jobs),
      calendars(base.context.clock, options.authorities),
      numbers(base.cluster.engines.ledger, base.cluster.engines.metastore),
      configuration(
          {.engines = base.cluster.engines, .clock = base.context.clock, .log = base.context.log}),
      deployment(
          {.channels = configuration.channels,
           .files = configuration.files,
           .profiles = configuration.profiles,
           .systems = base.fleet.targets}),
      content(
          {.engines = base.cluster.engines,
           .clock = base.context.clock,
           .log = base.context.log,
           .repositories = repository_options(options, base.cluster.topology)}),
      subscriber(content.store, base.context.clock),
      agents(
          {.systems = base.fleet.systems,
           .enrolment = enrolment,
           .topology = base.cluster.topology,
           .clock = base.context.clock,
           .metrics = base.context.metrics},
          options.entry,
          content.sets),
      webhooks(base.cluster.engines.metastore, options.webhooks, base.cluster.topology),
      authorities(options.authorities),
      pool_max(options.enrolment.pool_max) {
    enrolment.extend_with(subscriber);
    facts.export_to(base.context.metrics);
    jobs.export_metrics(base.context.metrics);
    configuration.export_metrics(base.context.metrics);
    content.export_metrics(base.context.metrics);
}

void management_services::start(runtime::task_group& loops) {
    jobs.start(loops);
    loops.spawn("follow system facts", facts.run());
    configuration.start(loops);
    content.start(loops);
}

}  // namespace muster::roles

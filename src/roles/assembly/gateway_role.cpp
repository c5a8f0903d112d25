#include "roles/assembly/gateway_role.h"

#include "api/rest/openapi_endpoint.h"
#include "ports/deadline.h"

namespace muster::roles {
namespace {

xmlrpc_api::xmlrpc_api::dependencies xmlrpc_dependencies(
    management_services& management,
    const api::registry& operations,
    const job_operations& jobs,
    const api::fan_out_limits& peers) {
    auto& base = management.base;
    return {
        .registry = operations,
        .authenticator = base.context.authenticator,
        .fleet =
            {.systems = base.fleet.systems,
             .search = base.fleet.index,
             .presence = base.presence.attached,
             .topology = base.cluster.topology,
             .groups = base.fleet.groups,
             .profiles = &management.configuration.profiles},
        .groups = base.fleet.groups,
        .keys = management.systems,
        .topology = base.cluster.topology,
        .clock = base.context.clock,
        .actions =
            {.numbers = management.numbers,
             .job_reader = jobs.reader(),
             .targets = base.fleet.targets,
             .job_service = management.jobs.service,
             .open_jobs = base.jobs.open,
             .windows = base.windows.store,
             .ledger = base.cluster.engines.ledger},
        .configuration =
            {.configuration = management.configuration,
             .rules = base.fleet.rules,
             .deployment = management.deployment},
        .content = management.content,
        .fan_out = peers};
}

}  // namespace

gateway_role::gateway_role(management_services& management, const options& options)
    : management_(management),
      base_(management.base),
      version_(options.version),
      directory_(
          {.targets = base_.fleet.targets,
           .presence = base_.presence.attached,
           .topology = base_.cluster.topology,
           .clock = base_.context.clock}),
      operations_(base_.context.clock, &directory_),
      rest_(operations_, base_.context.authenticator),
      fleet_(management, operations_, options.presence_retention),
      jobs_(management, directory_),
      xmlrpc_(xmlrpc_dependencies(management, operations_, jobs_, options.peers)),
      revisions_(
          management,
          operations_,
          [this](std::string_view name, const api::value& arguments) {
              return xmlrpc_.methods().find_operation(name, arguments);
          },
          options.edits),
      cluster_(base_, directory_, revisions_.revisions()),
      key_provisioner_(
          {.profiles = management.configuration.profiles,
           .rules = base_.fleet.rules,
           .deployment = management.deployment,
           .job_service = management.jobs.service,
           .clock = base_.context.clock,
           .log = base_.context.log}),
      package_lists_(
          {.sets = management.content.sets,
           .content = management.content.store,
           .search = base_.fleet.index,
           .clock = base_.context.clock,
           .log = base_.context.log}) {
    jobs_.export_metrics(base_.context.metrics);
}

result<void> gateway_role::add_routes(net::http::router& routes) {
    CHECK_OK(cluster_.declare(operations_));
    CHECK_OK(fleet_.declare(operations_));
    CHECK_OK(jobs_.declare(operations_));
    CHECK_OK(revisions_.declare(operations_));
    operations_.relate();
    CHECK_OK(cluster_.add_routes(routes));
    CHECK_OK(revisions_.add_routes(routes));
    CHECK_OK(rest_.add_routes(routes));
    CHECK_OK(xmlrpc_.add_routes(routes));
    return api::openapi_endpoint(operations_, version_).add_routes(routes);
}

void gateway_role::start(runtime::task_group& loops) {
    loops.spawn("follow users and roles", base_.people_follower.run());
    loops.spawn("follow system profiles", management_.configuration.profiles.run());
    loops.spawn("start activation key jobs", key_provisioner_.run());
    loops.spawn("remove unused package lists", package_lists_.run());
    fleet_.start(loops);
    revisions_.start(loops);
}

boost::asio::awaitable<void> gateway_role::stop() {
    ignore_error(
        co_await within(base_.context.clock, stop_timeout, revisions_.stop()),
        "the next leader waits until the lease expires");
}

}  // namespace muster::roles

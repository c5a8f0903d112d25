#include "api/xmlrpc/xmlrpc_api.h"

namespace muster::xmlrpc_api {

compatible_api::compatible_api(dependencies deps)
    : methods_(deps.checks),
      served_(
          {.search = deps.fleet.search,
           .groups = deps.fleet.groups,
           .presence = deps.fleet.presence,
           .clock = deps.clock}),
      view_(deps.fleet, served_),
      actions_(
          {.natives = deps.checks,
           .view = view_,
           .clock = deps.clock,
           .with = deps.work,
           .channels = deps.software.books}),
      configuration_(
          {.view = view_,
           .actions = actions_.actions(),
           .numbers = deps.work.numbers,
           .topology = deps.topology,
           .clock = deps.clock,
           .with = deps.configuration}),
      software_(
          {.view = view_,
           .actions = actions_.actions(),
           .clock = deps.clock,
           .content = deps.software}),
      chained_software_(
          {.view = software_.view(), .packages = software_.actions(), .chains = actions_.chains()}),
      chained_files_(
          {.view = view_,
           .configuration = deps.configuration.kept,
           .deployed = deps.configuration.deployed,
           .chains = actions_.chains(),
           .clock = deps.clock}),
      migrations_({.view = software_.view(), .actions = actions_.actions()}),
      overviews_(
          software_.view(),
          {.topology = deps.topology,
           .records = deps.configuration.kept.records,
           .numbers = deps.work.numbers,
           .clock = deps.clock}),
      labels_(deps.configuration.kept.channels),
      auth_(deps.clock),
      api_(methods_),
      systems_(
          {.view = view_, .keys = deps.keys, .numbers = deps.work.numbers, .clock = deps.clock}),
      searches_(view_),
      groups_(
          {.view = view_,
           .groups = deps.groups,
           .keys = deps.keys,
           .numbers = deps.work.numbers,
           .clock = deps.clock,
           .guard = labels_}),
      users_(
          {.topology = deps.topology,
           .records = deps.configuration.kept.records,
           .numbers = deps.work.numbers,
           .clock = deps.clock}),
      keys_(
          {.view = view_,
           .keys = deps.keys,
           .topology = deps.topology,
           .clock = deps.clock,
           .rules = deps.configuration.rules,
           .profiles = deps.configuration.kept.profiles}),
      door_(deps.authenticator, deps.clock),
      calls_(methods_, door_),
      further_(
          {.calls = calls_,
           .topology = deps.topology,
           .served = served_,
           .clock = deps.clock,
           .asking = deps.asking}),
      hub_(auth_, further_, deps.topology),
      in_xml_(calls_, further_),
      in_json_(methods_, door_) {}

result<void> compatible_api::add_routes(net::http::router& to) {
    CHECK_OK(auth_.declare(methods_));
    CHECK_OK(api_.declare(methods_));
    CHECK_OK(systems_.declare(methods_));
    CHECK_OK(searches_.declare(methods_));
    CHECK_OK(groups_.declare(methods_));
    CHECK_OK(users_.declare(methods_));
    CHECK_OK(actions_.declare(methods_));
    CHECK_OK(configuration_.declare(methods_));
    CHECK_OK(software_.declare(methods_));
    CHECK_OK(chained_software_.declare(methods_));
    CHECK_OK(chained_files_.declare(methods_));
    CHECK_OK(migrations_.declare(methods_));
    CHECK_OK(overviews_.declare(methods_));
    CHECK_OK(keys_.declare(methods_));
    CHECK_OK(hub_.declare(methods_));
    CHECK_OK(in_xml_.add_routes(to));
    return in_json_.add_routes(to);
}

}  // namespace muster::xmlrpc_api

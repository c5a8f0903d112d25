#include "api/xmlrpc/xmlrpc_api.h"

namespace muster::xmlrpc_api {

xmlrpc_api::xmlrpc_api(dependencies deps)
    : methods_(deps.registry),
      systems_by_node_(
          {.search = deps.fleet.search,
           .groups = deps.fleet.groups,
           .presence = deps.fleet.presence,
           .clock = deps.clock}),
      fleet_(deps.fleet, systems_by_node_),
      actions_(
          {.registry = deps.registry,
           .fleet = fleet_,
           .clock = deps.clock,
           .services = deps.actions,
           .channels = deps.content.store}),
      configuration_(
          {.fleet = fleet_,
           .actions = actions_.actions(),
           .numbers = deps.actions.numbers,
           .topology = deps.topology,
           .clock = deps.clock,
           .services = deps.configuration}),
      content_(
          {.fleet = fleet_,
           .actions = actions_.actions(),
           .clock = deps.clock,
           .content = deps.content}),
      chain_packages_(
          {.content = content_.content(),
           .packages = content_.actions(),
           .chains = actions_.chains()}),
      chain_configuration_(
          {.fleet = fleet_,
           .configuration = deps.configuration.configuration,
           .deployment = deps.configuration.deployment,
           .chains = actions_.chains(),
           .clock = deps.clock}),
      migrations_({.content = content_.content(), .actions = actions_.actions()}),
      overviews_(
          content_.content(),
          {.topology = deps.topology,
           .records = deps.configuration.configuration.records,
           .numbers = deps.actions.numbers,
           .clock = deps.clock}),
      group_guard_(deps.configuration.configuration.channels),
      auth_(deps.clock),
      api_(methods_),
      systems_(
          {.fleet = fleet_,
           .keys = deps.keys,
           .numbers = deps.actions.numbers,
           .clock = deps.clock}),
      searches_(fleet_),
      groups_(
          {.fleet = fleet_,
           .groups = deps.groups,
           .keys = deps.keys,
           .numbers = deps.actions.numbers,
           .clock = deps.clock,
           .guard = group_guard_}),
      users_(
          {.topology = deps.topology,
           .records = deps.configuration.configuration.records,
           .numbers = deps.actions.numbers,
           .clock = deps.clock}),
      keys_(
          {.fleet = fleet_,
           .keys = deps.keys,
           .topology = deps.topology,
           .clock = deps.clock,
           .rules = deps.configuration.rules,
           .profiles = deps.configuration.configuration.profiles}),
      authenticator_(deps.authenticator, deps.clock),
      dispatcher_(methods_, authenticator_),
      hub_relay_(
          {.dispatcher = dispatcher_,
           .topology = deps.topology,
           .systems_by_node = systems_by_node_,
           .clock = deps.clock,
           .limits = deps.fan_out}),
      hub_(auth_, hub_relay_, deps.topology),
      xml_endpoint_(dispatcher_, hub_relay_),
      json_endpoint_(methods_, authenticator_) {}

result<void> xmlrpc_api::add_routes(net::http::router& router) {
    for (const auto& declared :
         {auth_.declare(methods_),
          api_.declare(methods_),
          systems_.declare(methods_),
          searches_.declare(methods_),
          groups_.declare(methods_),
          users_.declare(methods_),
          actions_.declare(methods_),
          configuration_.declare(methods_),
          content_.declare(methods_),
          chain_packages_.declare(methods_),
          chain_configuration_.declare(methods_),
          migrations_.declare(methods_),
          overviews_.declare(methods_),
          keys_.declare(methods_),
          hub_.declare(methods_)}) {
        if (!declared) return declared;
    }
    CHECK_OK(xml_endpoint_.add_routes(router));
    return json_endpoint_.add_routes(router);
}

}  // namespace muster::xmlrpc_api

#include "api/xmlrpc/methods/configuration_methods.h"

namespace muster::xmlrpc_api {

configuration_methods::configuration_methods(const dependencies& deps)
    : channels_(
          {.fleet = deps.fleet, .configuration = deps.services.configuration, .clock = deps.clock}),
      systems_(
          {.fleet = deps.fleet,
           .configuration = deps.services.configuration,
           .deployment = deps.services.deployment,
           .clock = deps.clock}),
      deploy_(
          {.fleet = deps.fleet,
           .configuration = deps.services.configuration,
           .deployment = deps.services.deployment,
           .actions = deps.actions,
           .clock = deps.clock}),
      values_(
          {.fleet = deps.fleet, .configuration = deps.services.configuration, .clock = deps.clock}),
      profiles_(
          {.fleet = deps.fleet, .configuration = deps.services.configuration, .clock = deps.clock}),
      keys_(
          {.fleet = deps.fleet,
           .configuration = deps.services.configuration,
           .rules = deps.services.rules,
           .numbers = deps.numbers,
           .clock = deps.clock}),
      hardware_(deps.fleet),
      organisations_(
          {.fleet = deps.fleet,
           .configuration = deps.services.configuration,
           .rules = deps.services.rules,
           .topology = deps.topology,
           .numbers = deps.numbers,
           .clock = deps.clock}),
      people_(
          {.fleet = deps.fleet,
           .configuration = deps.services.configuration,
           .numbers = deps.numbers,
           .clock = deps.clock}),
      roles_(deps.clock),
      formulas_(
          {.fleet = deps.fleet,
           .configuration = deps.services.configuration,
           .numbers = deps.numbers,
           .clock = deps.clock}) {}

result<void> configuration_methods::declare(method_registry& registry) {
    CHECK_OK(channels_.declare(registry));
    CHECK_OK(systems_.declare(registry));
    CHECK_OK(deploy_.declare(registry));
    CHECK_OK(values_.declare(registry));
    CHECK_OK(profiles_.declare(registry));
    CHECK_OK(keys_.declare(registry));
    CHECK_OK(hardware_.declare(registry));
    CHECK_OK(organisations_.declare(registry));
    CHECK_OK(people_.declare(registry));
    CHECK_OK(roles_.declare(registry));
    return formulas_.declare(registry);
}

}  // namespace muster::xmlrpc_api

#include "api/xmlrpc/methods/configuration_methods.h"

namespace muster::xmlrpc_api {

configuration_methods::configuration_methods(const dependencies& deps)
    : channels_({.view = deps.view, .configuration = deps.with.kept, .clock = deps.clock}),
      systems_(
          {.view = deps.view,
           .configuration = deps.with.kept,
           .deployed = deps.with.deployed,
           .clock = deps.clock}),
      deploy_(
          {.view = deps.view,
           .configuration = deps.with.kept,
           .deployed = deps.with.deployed,
           .actions = deps.actions,
           .clock = deps.clock}),
      values_({.view = deps.view, .configuration = deps.with.kept, .clock = deps.clock}),
      profiles_({.view = deps.view, .configuration = deps.with.kept, .clock = deps.clock}),
      keys_(
          {.view = deps.view,
           .configuration = deps.with.kept,
           .rules = deps.with.rules,
           .numbers = deps.numbers,
           .clock = deps.clock}),
      hardware_(deps.view),
      organisations_(
          {.view = deps.view,
           .configuration = deps.with.kept,
           .rules = deps.with.rules,
           .topology = deps.topology,
           .numbers = deps.numbers,
           .clock = deps.clock}),
      people_(
          {.view = deps.view,
           .configuration = deps.with.kept,
           .numbers = deps.numbers,
           .clock = deps.clock}),
      roles_(deps.clock),
      formulas_(
          {.view = deps.view,
           .configuration = deps.with.kept,
           .numbers = deps.numbers,
           .clock = deps.clock}) {}

result<void> configuration_methods::declare(method_registry& to) {
    CHECK_OK(channels_.declare(to));
    CHECK_OK(systems_.declare(to));
    CHECK_OK(deploy_.declare(to));
    CHECK_OK(values_.declare(to));
    CHECK_OK(profiles_.declare(to));
    CHECK_OK(keys_.declare(to));
    CHECK_OK(hardware_.declare(to));
    CHECK_OK(organisations_.declare(to));
    CHECK_OK(people_.declare(to));
    CHECK_OK(roles_.declare(to));
    return formulas_.declare(to);
}

}  // namespace muster::xmlrpc_api

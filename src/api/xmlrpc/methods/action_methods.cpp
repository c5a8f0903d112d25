#include "api/xmlrpc/methods/action_methods.h"

namespace muster::xmlrpc_api {

action_methods::action_methods(const dependencies& deps)
    : operations_(deps.registry),
      actions_(
          {.operations = operations_,
           .numbers = deps.services.numbers,
           .reader = deps.services.job_reader,
           .targets = deps.services.targets,
           .channels = deps.channels,
           .clock = deps.clock,
           .profiles = deps.fleet.deps().profiles}),
      chain_store_(deps.services.ledger, deps.clock),
      schedule_(actions_, deps.services.job_service),
      systems_(deps.fleet, actions_),
      events_(deps.fleet, actions_),
      chains_({.fleet = deps.fleet, .actions = actions_, .chains = chain_store_}),
      recurring_({.fleet = deps.fleet, .actions = actions_, .windows = deps.services.windows}),
      maintenance_(
          {.fleet = deps.fleet,
           .actions = actions_,
           .open_jobs = deps.services.open_jobs,
           .windows = deps.services.windows}) {}

result<void> action_methods::declare(method_registry& registry) {
    CHECK_OK(schedule_.declare(registry));
    CHECK_OK(systems_.declare(registry));
    CHECK_OK(events_.declare(registry));
    CHECK_OK(chains_.declare(registry));
    CHECK_OK(recurring_.declare(registry));
    CHECK_OK(recurring_playbooks_.declare(registry));
    return maintenance_.declare(registry);
}

}  // namespace muster::xmlrpc_api

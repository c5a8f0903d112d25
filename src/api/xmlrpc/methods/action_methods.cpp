#include "api/xmlrpc/methods/action_methods.h"

namespace muster::xmlrpc_api {

action_methods::action_methods(const dependencies& deps)
    : natives_(deps.natives),
      actions_(
          {.natives = natives_,
           .numbers = deps.with.numbers,
           .reader = deps.with.reads,
           .targets = deps.with.targets,
           .channels = deps.channels,
           .clock = deps.clock,
           .profiles = deps.view.around().profiles}),
      kept_chains_(deps.with.records, deps.clock),
      schedule_(actions_, deps.with.makes),
      systems_(deps.view, actions_),
      events_(deps.view, actions_),
      chains_({.view = deps.view, .actions = actions_, .chains = kept_chains_}),
      recurring_({.view = deps.view, .actions = actions_, .windows = deps.with.windows}),
      maintenance_(
          {.view = deps.view,
           .actions = actions_,
           .open_jobs = deps.with.open,
           .windows = deps.with.windows}) {}

result<void> action_methods::declare(method_registry& to) {
    CHECK_OK(schedule_.declare(to));
    CHECK_OK(systems_.declare(to));
    CHECK_OK(events_.declare(to));
    CHECK_OK(chains_.declare(to));
    CHECK_OK(recurring_.declare(to));
    CHECK_OK(never_recurring_.declare(to));
    return maintenance_.declare(to);
}

}  // namespace muster::xmlrpc_api

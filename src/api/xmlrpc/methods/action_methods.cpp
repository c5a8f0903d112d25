#include "api/xmlrpc/methods/action_methods.h"

namespace muster::xmlrpc_api {

action_methods::action_methods(const dependencies& deps)
    : natives_(deps.natives),
      desk_(
          {.natives = natives_,
           .numbers = deps.with.numbers,
           .reads = deps.with.reads,
           .targets = deps.with.targets,
           .time = deps.time,
           .profiles = deps.view.around().profiles,
           .base_channel = deps.base_channel}),
      kept_chains_(deps.with.records, deps.time),
      schedule_(desk_, deps.with.makes),
      systems_(deps.view, desk_),
      events_(deps.view, desk_),
      chains_({.view = deps.view, .actions = desk_, .chains = kept_chains_}),
      recurring_({.view = deps.view, .actions = desk_, .book = deps.with.windows}),
      maintenance_(
          {.view = deps.view,
           .actions = desk_,
           .open = deps.with.open,
           .book = deps.with.windows}) {}

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

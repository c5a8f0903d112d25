#include "api/xmlrpc/methods/action_methods.h"

namespace muster::xmlrpc_api {

action_methods::action_methods(const surroundings& around)
    : natives_(around.natives),
      desk_(
          {.natives = natives_,
           .numbers = around.with.numbers,
           .reads = around.with.reads,
           .targets = around.with.targets,
           .time = around.time,
           .profiles = around.view.around().profiles,
           .base_channel = around.base_channel}),
      kept_chains_(around.with.records, around.time),
      schedule_(desk_, around.with.makes),
      systems_(around.view, desk_),
      events_(around.view, desk_),
      chains_({.view = around.view, .actions = desk_, .chains = kept_chains_}),
      recurring_({.view = around.view, .actions = desk_, .book = around.with.windows}),
      maintenance_(
          {.view = around.view,
           .actions = desk_,
           .open = around.with.open,
           .book = around.with.windows}) {}

result<void> action_methods::declare(method_book& to) {
    CHECK_OK(schedule_.declare(to));
    CHECK_OK(systems_.declare(to));
    CHECK_OK(events_.declare(to));
    CHECK_OK(chains_.declare(to));
    CHECK_OK(recurring_.declare(to));
    CHECK_OK(never_recurring_.declare(to));
    return maintenance_.declare(to);
}

}  // namespace muster::xmlrpc_api

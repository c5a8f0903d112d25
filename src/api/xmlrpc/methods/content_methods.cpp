#include "api/xmlrpc/methods/content_methods.h"

namespace muster::xmlrpc_api {

content_methods::content_methods(const dependencies& deps)
    : view_(
          {.content = deps.content.books,
           .sets = deps.content.sets,
           .content_service = deps.content.desk,
           .syncs = deps.content.syncs,
           .fleet = deps.view,
           .clock = deps.clock}),
      channels_(view_),
      repositories_(view_),
      packages_(view_),
      errata_(view_),
      system_channels_(view_),
      system_packages_(view_),
      actions_(view_, deps.actions),
      unscheduled_(view_, deps.actions) {}

result<void> content_methods::declare(method_registry& to) {
    CHECK_OK(channels_.declare(to));
    CHECK_OK(repositories_.declare(to));
    CHECK_OK(packages_.declare(to));
    CHECK_OK(errata_.declare(to));
    CHECK_OK(system_channels_.declare(to));
    CHECK_OK(system_packages_.declare(to));
    CHECK_OK(unscheduled_.declare(to));
    return actions_.declare(to);
}

}  // namespace muster::xmlrpc_api

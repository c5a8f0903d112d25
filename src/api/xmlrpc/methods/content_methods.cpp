#include "api/xmlrpc/methods/content_methods.h"

namespace muster::xmlrpc_api {

content_methods::content_methods(const dependencies& deps)
    : content_query_(
          {.content = deps.content.store,
           .sets = deps.content.sets,
           .content_service = deps.content.service,
           .syncs = deps.content.syncs,
           .fleet = deps.fleet,
           .clock = deps.clock}),
      channels_(content_query_),
      repositories_(content_query_),
      packages_(content_query_),
      errata_(content_query_),
      system_channels_(content_query_),
      system_packages_(content_query_),
      actions_(content_query_, deps.actions),
      unscheduled_(content_query_, deps.actions) {}

result<void> content_methods::declare(method_registry& registry) {
    CHECK_OK(channels_.declare(registry));
    CHECK_OK(repositories_.declare(registry));
    CHECK_OK(packages_.declare(registry));
    CHECK_OK(errata_.declare(registry));
    CHECK_OK(system_channels_.declare(registry));
    CHECK_OK(system_packages_.declare(registry));
    CHECK_OK(unscheduled_.declare(registry));
    return actions_.declare(registry);
}

}  // namespace muster::xmlrpc_api

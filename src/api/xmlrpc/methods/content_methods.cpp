#include "api/xmlrpc/methods/content_methods.h"

namespace muster::xmlrpc_api {

content_methods::content_methods(const surroundings& around)
    : view_(
          {.books = around.kept.books,
           .sets = around.kept.sets,
           .desk = around.kept.desk,
           .syncs = around.kept.syncs,
           .fleet = around.view,
           .time = around.time}),
      channels_(view_),
      repositories_(view_),
      packages_(view_),
      errata_(view_),
      system_channels_(view_),
      system_packages_(view_),
      actions_(view_, around.actions),
      unscheduled_(view_, around.actions) {}

result<void> content_methods::declare(method_book& to) {
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

#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/package_query.h"

namespace muster::xmlrpc_api {

// packages.* and packages.search.*.
class package_methods {
public:
    explicit package_methods(const content_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    async<answer> get_details(call call);
    async<answer> list_channels(call call);
    async<answer> list_errata(call call);
    async<answer> find(call call);
    async<answer> remove(call call);
    async<answer> search_advanced(call call);
    async<answer> search_name(call call);
    async<answer> search_name_and_summary(call call);

    async<answer> search(package_query package_query);

    const content_query& view_;
};

}  // namespace muster::xmlrpc_api

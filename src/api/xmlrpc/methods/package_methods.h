#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/package_query.h"

namespace muster::xmlrpc_api {

// packages.* and packages.search.*.
class package_methods {
public:
    explicit package_methods(const content_query& content) : content_(content) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> get_details(call call);
    async<method_response> list_channels(call call);
    async<method_response> list_errata(call call);
    async<method_response> find(call call);
    async<method_response> remove(call call);
    async<method_response> search_advanced(call call);
    async<method_response> search_name(call call);
    async<method_response> search_name_and_summary(call call);

    async<method_response> search(package_query package_query);

    const content_query& content_;
};

}  // namespace muster::xmlrpc_api

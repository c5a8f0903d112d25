#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/methods/package_query.h"

namespace muster::xmlrpc_api {

// packages.* and packages.search.*.
class package_methods {
public:
    explicit package_methods(const content_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    async<answer> get_details(call asked);
    async<answer> list_channels(call asked);
    async<answer> list_errata(call asked);
    async<answer> find(call asked);
    async<answer> remove(call asked);
    async<answer> search_advanced(call asked);
    async<answer> search_name(call asked);
    async<answer> search_name_and_summary(call asked);

    async<answer> search(package_query wanted);

    const content_view& view_;
};

}  // namespace muster::xmlrpc_api

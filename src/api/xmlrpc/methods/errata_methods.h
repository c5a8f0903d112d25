#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// errata.*: why packages are newer, and whom it concerns.
class errata_methods {
public:
    explicit errata_methods(const content_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_changes(method_book& to);

    async<answer> get_details(call asked);
    async<answer> list_packages(call asked);
    async<answer> list_cves(call asked);
    async<answer> list_bugs(call asked);
    async<answer> list_channels(call asked);
    async<answer> find_by_cve(call asked);
    async<answer> list_systems(call asked);
    async<answer> publish(call asked);
    async<answer> put_into_channel(call asked);
    async<answer> remove(call asked);

    const content_view& view_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// errata.*: why packages are newer, and whom it concerns.
class errata_methods {
public:
    explicit errata_methods(const content_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_changes(method_registry& to);

    async<answer> get_details(call call);
    async<answer> list_packages(call call);
    async<answer> list_cves(call call);
    async<answer> list_bugs(call call);
    async<answer> list_channels(call call);
    async<answer> find_by_cve(call call);
    async<answer> list_systems(call call);
    async<answer> publish(call call);
    async<answer> put_into_channel(call call);
    async<answer> remove(call call);

    const content_query& view_;
};

}  // namespace muster::xmlrpc_api

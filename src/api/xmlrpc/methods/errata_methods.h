#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// errata.*: errata, their packages, channels and affected systems.
class errata_methods {
public:
    explicit errata_methods(const content_query& content) : content_(content) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_changes(method_registry& registry);

    async<method_response> get_details(call call);
    async<method_response> list_packages(call call);
    async<method_response> list_cves(call call);
    async<method_response> list_bugs(call call);
    async<method_response> list_channels(call call);
    async<method_response> find_by_cve(call call);
    async<method_response> list_systems(call call);
    async<method_response> publish(call call);
    async<method_response> add_to_channel(call call);
    async<method_response> remove(call call);

    const content_query& content_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/organisations.h"

namespace muster::xmlrpc_api {

// Overviews of all systems or channels: outdated systems (system.listOutOfDateSystems), schedules
// of channels (taskomatic.org.*) and access to channels (channel.access.*, channel.org.*). All
// organisations have all channels, so the access methods accept nothing else.
class software_overview_methods {
public:
    software_overview_methods(const content_query& content, organisations::dependencies deps)
        : content_(content), organisations_(deps) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_sharing(method_registry& registry);

    async<method_response> list_outdated(call call);
    async<method_response> list_schedules(call call);
    async<method_response> get_sharing(call call);
    async<method_response> set_sharing(call call);
    async<method_response> list_organisations(call call);
    async<method_response> enable(call call);
    async<method_response> disable(call call);

    const content_query& content_;
    organisations organisations_;
};

}  // namespace muster::xmlrpc_api

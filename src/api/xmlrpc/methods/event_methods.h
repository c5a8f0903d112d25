#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"

namespace muster::xmlrpc_api {

// system.getEventHistory and getEventDetails: the actions that ran on a system.
class event_methods {
public:
    event_methods(const fleet_query& fleet, const action_service& actions)
        : fleet_(fleet), actions_(actions) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> history(call call);
    async<method_response> details(call call);

    const fleet_query& fleet_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api

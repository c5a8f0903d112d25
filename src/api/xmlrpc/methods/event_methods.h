#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"

namespace muster::xmlrpc_api {

// system.getEventHistory and getEventDetails: what actions did on one system.
class event_methods {
public:
    event_methods(const fleet_query& view, const action_service& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_registry& to);

private:
    async<answer> history(call call);
    async<answer> details(call call);

    const fleet_query& view_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api

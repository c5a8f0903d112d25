#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// system.getEventHistory and getEventDetails: what actions did on one system.
class event_methods {
public:
    event_methods(const fleet_view& view, const action_desk& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_book& to);

private:
    async<answer> history(call asked);
    async<answer> details(call asked);

    const fleet_view& view_;
    const action_desk& actions_;
};

}  // namespace muster::xmlrpc_api

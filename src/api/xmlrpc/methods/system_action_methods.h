#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"

#include <string>

namespace muster::xmlrpc_api {

// system.schedule… of what every agent can do: scripts, reboots, telling its facts; and what
// scripts wrote.
class system_action_methods {
public:
    system_action_methods(const fleet_query& view, const action_service& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_registry& to);

private:
    async<answer> run_script(call call);
    async<answer> reboot(call call);
    async<answer> refresh_hardware(call call);
    async<answer> script_results(call call);

    result<void> declare_scripts(method_registry& to);
    // "Remote Command on web1": for lists of actions.
    result<std::string> name_of(const call& call, std::string text, std::string_view systems) const;

    const fleet_query& view_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"

#include <string>

namespace muster::xmlrpc_api {

// system.schedule… for functions of every agent: scripts, reboots, facts; and the results of
// scripts.
class system_action_methods {
public:
    system_action_methods(const fleet_query& fleet, const action_service& actions)
        : fleet_(fleet), actions_(actions) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> run_script(call call);
    async<method_response> reboot(call call);
    async<method_response> refresh_hardware(call call);
    async<method_response> script_results(call call);

    result<void> declare_scripts(method_registry& registry);
    // "Remote Command on web1": for lists of actions.
    result<std::string> name_of(
        const call& call, std::string description, std::string_view systems) const;

    const fleet_query& fleet_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api

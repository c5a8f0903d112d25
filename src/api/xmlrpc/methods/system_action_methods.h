#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <string>

namespace muster::xmlrpc_api {

// system.schedule… of what every agent can do: scripts, reboots, telling its facts; and what
// scripts wrote.
class system_action_methods {
public:
    system_action_methods(const fleet_view& view, const action_desk& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_book& to);

private:
    async<answer> run_script(call asked);
    async<answer> reboot(call asked);
    async<answer> refresh_hardware(call asked);
    async<answer> script_results(call asked);

    result<void> declare_scripts(method_book& to);
    // "Remote Command on web1": for lists of actions.
    result<std::string> name_of(
        const call& asked, std::string what, std::string_view systems) const;

    const fleet_view& view_;
    const action_desk& actions_;
};

}  // namespace muster::xmlrpc_api

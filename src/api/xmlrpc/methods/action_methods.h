#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "services/compatibility/chain_book.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/event_methods.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/methods/maintenance_methods.h"
#include "api/xmlrpc/methods/recurring_methods.h"
#include "api/xmlrpc/methods/recurring_refusals.h"
#include "api/xmlrpc/methods/schedule_methods.h"
#include "api/xmlrpc/methods/system_action_methods.h"

#include <functional>
#include <string>

namespace muster::xmlrpc_api {

// Everything of the compatible API that makes work, plans it and tells what became of it.
class action_methods {
public:
    struct parts {
        compatibility::number_book& numbers;
        const api::job_reader& reads;
        const api::job_targets& targets;
        jobs::job_desk& makes;
        const jobs::job_book& open;
        const windows::window_book& windows;
        ledger& records;
    };
    struct surroundings {
        const api::registry& natives;
        const fleet_view& view;
        clock& time;
        parts with;
        std::function<std::string(system_number)> base_channel = nullptr;  // action_desk.h
    };

    explicit action_methods(const surroundings& around);
    action_methods(const action_methods&) = delete;
    action_methods& operator=(const action_methods&) = delete;

    result<void> declare(method_book& to);

    // For methods of other files that make jobs, or add to chains.
    const action_desk& desk() const { return desk_; }
    const chain_methods& chains() const { return chains_; }
    const native_api& natives() const { return natives_; }

private:
    native_api natives_;
    action_desk desk_;
    chain_book kept_chains_;
    schedule_methods schedule_;
    system_action_methods systems_;
    event_methods events_;
    chain_methods chains_;
    recurring_methods recurring_;
    recurring_refusals never_recurring_;
    maintenance_methods maintenance_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/event_methods.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/maintenance_methods.h"
#include "api/xmlrpc/methods/recurring_methods.h"
#include "api/xmlrpc/methods/recurring_playbook_methods.h"
#include "api/xmlrpc/methods/schedule_methods.h"
#include "api/xmlrpc/methods/system_action_methods.h"
#include "services/compatibility/action_chain_store.h"

#include <functional>
#include <string>

namespace muster::xmlrpc_api {

// Everything of the compatible API that makes work, plans it and tells what became of it.
class action_methods {
public:
    struct parts {
        compatibility::numeric_id_store& numbers;
        const api::job_detail_reader& reads;
        const fleet::target_resolver& targets;
        jobs::job_service& makes;
        const jobs::open_job_cache& open;
        const windows::window_store& windows;
        ledger& records;
    };
    struct dependencies {
        const api::registry& natives;
        const fleet_query& view;
        muster::clock& clock;
        parts with;
        const content::content_store& channels;
    };

    explicit action_methods(const dependencies& deps);
    action_methods(const action_methods&) = delete;
    action_methods& operator=(const action_methods&) = delete;

    result<void> declare(method_registry& to);

    // For methods of other files that make jobs, or add to chains.
    const action_service& actions() const { return actions_; }
    const chain_methods& chains() const { return chains_; }
    const rest_operation_caller& natives() const { return natives_; }

private:
    rest_operation_caller natives_;
    action_service actions_;
    compatibility::action_chain_store kept_chains_;
    schedule_methods schedule_;
    system_action_methods systems_;
    event_methods events_;
    chain_methods chains_;
    recurring_methods recurring_;
    recurring_playbook_methods never_recurring_;
    maintenance_methods maintenance_;
};

}  // namespace muster::xmlrpc_api

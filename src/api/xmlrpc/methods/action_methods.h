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

// Methods that create and schedule actions, and that return their results.
class action_methods {
public:
    struct services {
        compatibility::numeric_id_store& numbers;
        const api::job_detail_reader& job_reader;
        const fleet::target_resolver& targets;
        jobs::job_service& job_service;
        const jobs::open_job_cache& open_jobs;
        const windows::window_store& windows;
        muster::ledger& ledger;
    };
    struct dependencies {
        const api::registry& registry;
        const fleet_query& fleet;
        muster::clock& clock;
        action_methods::services services;
        const content::content_store& channels;
    };

    explicit action_methods(const dependencies& deps);
    action_methods(const action_methods&) = delete;
    action_methods& operator=(const action_methods&) = delete;

    result<void> declare(method_registry& registry);

    // For methods of other files that create jobs or add to chains.
    const action_service& actions() const { return actions_; }
    const chain_methods& chains() const { return chains_; }
    const rest_operation_caller& operations() const { return operations_; }

private:
    rest_operation_caller operations_;
    action_service actions_;
    compatibility::action_chain_store chain_store_;
    schedule_methods schedule_;
    system_action_methods systems_;
    event_methods events_;
    chain_methods chains_;
    recurring_methods recurring_;
    recurring_playbook_methods recurring_playbooks_;
    maintenance_methods maintenance_;
};

}  // namespace muster::xmlrpc_api

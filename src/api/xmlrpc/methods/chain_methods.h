#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/action_chain_store.h"

#include <cstddef>
#include <string>

namespace muster::xmlrpc_api {

// The Idempotency-Key of the job that a part of a chain becomes. It differs with every attempt to
// schedule the chain, so a failed attempt does not block the next one.
std::string chain_idempotency_key(const compatibility::action_chain& chain, std::size_t part);

// actionchain.*: chains of actions, which become jobs when they are scheduled. Each user has their
// own chains.
class chain_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        const action_service& actions;
        compatibility::action_chain_store& chains;
    };

    explicit chain_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

    // For methods that add other entries: appends an entry to the chain of the argument
    // `chainLabel`, for the system of the entry or of the argument `sid`. Returns the number of the
    // action.
    async<std::int64_t> add_entry(call call, compatibility::chain_entry entry) const;

private:
    async<method_response> list(call call);
    async<method_response> list_chain_actions(call call);
    async<method_response> create(call call);
    async<method_response> remove(call call);
    async<method_response> rename(call call);
    async<method_response> remove_action(call call);
    async<method_response> add_reboot(call call);
    async<method_response> add_script(call call);
    async<method_response> schedule(call call);

    result<void> declare_adding(method_registry& registry);
    async<method_response> schedule_chain(call call, compatibility::action_chain chain) const;
    async<void> name_steps(
        compatibility::action_chain chain, job_id job, std::vector<std::int64_t> systems) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

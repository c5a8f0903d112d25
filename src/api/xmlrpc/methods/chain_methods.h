#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/action_chain_store.h"

#include <cstddef>
#include <string>

namespace muster::xmlrpc_api {

// The Idempotency-Key of the job that a part of a chain becomes. Another one with every attempt to
// schedule it: what an attempt that made nothing has claimed is in nobody's way.
std::string claim_of(const compatibility::action_chain& chain, std::size_t part);

// actionchain.*: chains that somebody puts together, and that become jobs when they are scheduled.
// Each user has their own.
class chain_methods {
public:
    struct dependencies {
        const fleet_query& view;
        const action_service& actions;
        compatibility::action_chain_store& chains;
    };

    explicit chain_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

    // For methods that add other things: one more entry of the chain that the argument `chainLabel`
    // names, on its system, or the one of the argument `sid` if it has none; the number of the
    // action.
    async<std::int64_t> add_entry(call call, compatibility::chain_entry desired) const;

private:
    async<answer> list(call call);
    async<answer> list_actions_of(call call);
    async<answer> create(call call);
    async<answer> remove(call call);
    async<answer> rename(call call);
    async<answer> remove_action(call call);
    async<answer> add_reboot(call call);
    async<answer> add_script(call call);
    async<answer> schedule(call call);

    result<void> declare_adding(method_registry& to);
    async<answer> scheduled(call call, compatibility::action_chain chain) const;
    async<void> name_steps(
        compatibility::action_chain chain, job_id job, std::vector<std::int64_t> systems) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

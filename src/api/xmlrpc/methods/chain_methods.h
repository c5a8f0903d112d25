#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "services/compatibility/chain_book.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <cstddef>
#include <string>

namespace muster::xmlrpc_api {

// The Idempotency-Key of the job that a part of a chain becomes. Another one with every attempt to
// schedule it: what an attempt that made nothing has claimed is in nobody's way.
std::string claim_of(const action_chain& chain, std::size_t part);

// actionchain.*: chains that somebody puts together, and that become jobs when they are scheduled.
// Each user has their own.
class chain_methods {
public:
    struct surroundings {
        const fleet_view& view;
        const action_desk& actions;
        chain_book& chains;
    };

    explicit chain_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

    // For methods that add other things: one more entry of the chain that the argument `chainLabel`
    // names, on its system, or the one of the argument `sid` if it has none; the number of the
    // action.
    async<std::int64_t> add_entry(call asked, chain_entry wanted) const;

private:
    async<answer> list(call asked);
    async<answer> list_actions_of(call asked);
    async<answer> create(call asked);
    async<answer> remove(call asked);
    async<answer> rename(call asked);
    async<answer> remove_action(call asked);
    async<answer> add_reboot(call asked);
    async<answer> add_script(call asked);
    async<answer> schedule(call asked);

    result<void> declare_adding(method_book& to);
    async<answer> scheduled(call asked, action_chain which) const;
    async<void> name_steps(action_chain which, job_id job, std::vector<std::int64_t> systems) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

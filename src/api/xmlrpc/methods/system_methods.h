#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/numeric_id_store.h"

namespace muster::xmlrpc_api {

// system.*: the accepted systems of the fleet.
class system_methods {
public:
    struct dependencies {
        const fleet_query& view;
        fleet::system_service& keys;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit system_methods(dependencies deps)
        : view_(deps.view), keys_(deps.keys), numbers_(deps.numbers), clock_(deps.clock) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_lists(method_registry& to);
    result<void> declare_removal(method_registry& to);

    async<answer> list(call call);
    async<answer> list_active(call call);
    async<answer> list_inactive(call call);
    async<answer> get_id(call call);
    async<answer> get_name(call call);
    async<answer> get_details(call call);
    async<answer> search_by_name(call call);
    async<answer> list_groups(call call);
    async<answer> has_traditional(call call);
    async<answer> remove_one(call call);
    async<answer> remove_many(call call);

    result<answer> by_last_sign(const call& call, std::int64_t days, bool wanted_active) const;
    async<answer> unregister(call call, std::vector<system_record> systems);

    const fleet_query& view_;
    fleet::system_service& keys_;
    compatibility::numeric_id_store& numbers_;
    muster::clock& clock_;
};

}  // namespace muster::xmlrpc_api

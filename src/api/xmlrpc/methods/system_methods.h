#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/numeric_id_store.h"

namespace muster::xmlrpc_api {

// system.*: the accepted systems of the fleet.
class system_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        fleet::system_service& keys;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit system_methods(dependencies deps)
        : fleet_(deps.fleet), keys_(deps.keys), numbers_(deps.numbers), clock_(deps.clock) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_lists(method_registry& registry);
    result<void> declare_removal(method_registry& registry);

    async<method_response> list(call call);
    async<method_response> list_active(call call);
    async<method_response> list_inactive(call call);
    async<method_response> get_id(call call);
    async<method_response> get_name(call call);
    async<method_response> get_details(call call);
    async<method_response> search_by_name(call call);
    async<method_response> list_groups(call call);
    async<method_response> has_traditional(call call);
    async<method_response> remove_system(call call);
    async<method_response> remove_systems(call call);

    result<method_response> list_by_activity(
        const call& call, std::int64_t days, bool active) const;
    async<method_response> unregister(call call, std::vector<system_record> systems);

    const fleet_query& fleet_;
    fleet::system_service& keys_;
    compatibility::numeric_id_store& numbers_;
    muster::clock& clock_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/operations/group_label_policy.h"
#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/numeric_id_store.h"

namespace muster::xmlrpc_api {

// systemgroup.*: saved groups. A system is a member by the group's expression, or by having the
// group's name as a label. A group that is created here has an expression that matches nothing.
class group_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        fleet::group_store& groups;
        fleet::system_service& keys;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
        const api::group_label_policy& guard;
    };

    explicit group_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_all(call call);
    async<method_response> get_details(call call);
    async<method_response> get_details_by_number(call call);
    async<method_response> list_systems(call call);
    async<method_response> create(call call);
    async<method_response> update(call call);
    async<method_response> remove(call call);
    async<method_response> add_or_remove(call call);

    result<fleet::saved_group> find(const std::string& name) const;
    async<api::value> group_value(call call, fleet::saved_group group) const;
    result<api::value> group_value(
        const call& call, const fleet::saved_group& group, std::int64_t number) const;
    async<void> relabel(
        call call, fleet::system_service::targets targets, lifecycle::label_change change) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/operations/group_label_policy.h"
#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/numeric_id_store.h"

namespace muster::xmlrpc_api {

// systemgroup.*: the saved groups. A system is in one by the group's expression, or because it has
// its name as a label, which is what adding it to a group means here; a group that is made here has
// an expression that means nobody.
class group_methods {
public:
    struct dependencies {
        const fleet_query& view;
        fleet::group_store& groups;
        fleet::system_service& keys;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
        const api::group_guard& guard;
    };

    explicit group_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_all(call call);
    async<answer> get_details(call call);
    async<answer> get_details_by_number(call call);
    async<answer> list_systems(call call);
    async<answer> create(call call);
    async<answer> update(call call);
    async<answer> remove(call call);
    async<answer> add_or_remove(call call);

    result<fleet::saved_group> find(const std::string& name) const;
    async<api::value> told(call call, fleet::saved_group group) const;
    result<api::value> told(
        const call& call, const fleet::saved_group& group, std::int64_t number) const;
    async<void> relabel(
        call call,
        fleet::system_service::targets targets,
        lifecycle::label_change label_change) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

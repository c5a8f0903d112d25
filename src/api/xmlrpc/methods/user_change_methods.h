#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/user_preferences_record.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/configuration_services.h"
#include "services/people/people_services.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// user.*: people are made, changed, given roles and removed. A role that is given here is given in
// the whole cluster. The groups of a user are kept and shown; what somebody may do is said by roles
// and zones alone.
class user_change_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit user_change_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_groups(method_registry& to);

    async<answer> create(call call);
    async<answer> remove(call call);
    async<answer> enable(call call);
    async<answer> disable(call call);
    async<answer> set_details(call call);
    async<answer> add_role(call call);
    async<answer> remove_role(call call);
    async<answer> list_assigned(call call);
    async<answer> add_assigned(call call);
    async<answer> remove_assigned(call call);
    async<answer> list_default(call call);
    async<answer> add_default(call call);
    async<answer> remove_default(call call);

    async<answer> list_groups(
        call call, std::vector<std::string> user_preferences_record::* which) const;
    enum class change { add, remove };
    async<answer> change_groups(
        call call, std::vector<std::string> user_preferences_record::* which, change how);
    async<answer> change_role(call call, change how);

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

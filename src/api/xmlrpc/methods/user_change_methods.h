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

// user.*: creates, changes and removes users and their roles. Roles are granted in the whole
// cluster. The groups of a user are stored and shown only; rights depend on roles and zones.
class user_change_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit user_change_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_groups(method_registry& registry);

    async<method_response> create(call call);
    async<method_response> remove(call call);
    async<method_response> enable(call call);
    async<method_response> disable(call call);
    async<method_response> set_details(call call);
    async<method_response> add_role(call call);
    async<method_response> remove_role(call call);
    async<method_response> list_assigned(call call);
    async<method_response> add_assigned(call call);
    async<method_response> remove_assigned(call call);
    async<method_response> list_default(call call);
    async<method_response> add_default(call call);
    async<method_response> remove_default(call call);

    async<method_response> list_groups(
        call call, std::vector<std::string> user_preferences_record::* member) const;
    enum class change { add, remove };
    async<method_response> change_groups(
        call call, std::vector<std::string> user_preferences_record::* member, change action);
    async<method_response> change_role(call call, change action);

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

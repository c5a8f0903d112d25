#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/config_list_change.h"
#include "api/xmlrpc/methods/config_responses.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/configuration_services.h"
#include "services/fleet/accept_rule_store.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// activationkey.*: accept rules that are activation keys. A key lets systems enrol, so reading the
// keys also needs the right to decide about keys.
class activation_key_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        fleet::accept_rule_store& rules;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit activation_key_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_keys(method_registry& registry);
    result<void> declare_contents(method_registry& registry);
    result<void> declare_config(method_registry& registry);

    async<method_response> list(call call);
    async<method_response> get_details(call call);
    async<method_response> create(call call);
    async<method_response> set_details(call call);
    async<method_response> remove(call call);
    async<method_response> list_systems(call call);
    async<method_response> add_children(call call);
    async<method_response> remove_children(call call);
    async<method_response> add_entitlements(call call);
    async<method_response> remove_entitlements(call call);
    async<method_response> add_packages(call call);
    async<method_response> remove_packages(call call);
    async<method_response> add_groups(call call);
    async<method_response> remove_groups(call call);
    async<method_response> list_config(call call);
    async<method_response> set_config(call call);
    async<method_response> add_config(call call);
    async<method_response> remove_config(call call);
    async<method_response> enable_deployment(call call);
    async<method_response> disable_deployment(call call);
    async<method_response> check_deployment(call call);

    result<fleet::stored_rule> find(const std::string& key) const;
    async<api::value> activation_key_value(fleet::stored_rule rule) const;
    // Changes the key of the argument `key`.
    async<method_response> change(call call, fleet::accept_rule_store::update_function alteration);
    async<method_response> change_config(call call, config_list_change change);
    async<void> clear_other_defaults(std::string key);
    async<std::vector<std::string>> read_group_names(call call) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

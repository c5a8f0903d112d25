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

// activationkey.*: the accept rules that are activation keys. Whoever knows one brings systems in,
// so reading them needs the right to decide about keys, too.
class activation_key_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        fleet::accept_rule_store& rules;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit activation_key_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_keys(method_registry& to);
    result<void> declare_contents(method_registry& to);
    result<void> declare_config(method_registry& to);

    async<answer> list(call call);
    async<answer> get_details(call call);
    async<answer> create(call call);
    async<answer> set_details(call call);
    async<answer> remove(call call);
    async<answer> list_systems(call call);
    async<answer> add_children(call call);
    async<answer> remove_children(call call);
    async<answer> add_entitlements(call call);
    async<answer> remove_entitlements(call call);
    async<answer> add_packages(call call);
    async<answer> remove_packages(call call);
    async<answer> add_groups(call call);
    async<answer> remove_groups(call call);
    async<answer> list_config(call call);
    async<answer> set_config(call call);
    async<answer> add_config(call call);
    async<answer> remove_config(call call);
    async<answer> enable_deployment(call call);
    async<answer> disable_deployment(call call);
    async<answer> check_deployment(call call);

    result<fleet::stored_rule> find(const std::string& key) const;
    async<api::value> told_key(fleet::stored_rule rule) const;
    // Of the key that the argument `key` names.
    async<answer> change(call call, fleet::accept_rule_store::alteration alteration);
    async<answer> change_config(call call, config_list_change change);
    async<void> be_only_default(std::string key);
    async<std::vector<std::string>> groups_in(call call) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "services/compatibility/number_book.h"
#include "api/xmlrpc/methods/config_answers.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"
#include "services/fleet/rule_book.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// activationkey.*: the accept rules that are activation keys. Whoever knows one brings systems in,
// so reading them needs the right to decide about keys, too.
class activation_key_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        fleet::rule_book& rules;
        compatibility::number_book& numbers;
        clock& time;
    };

    explicit activation_key_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_keys(method_book& to);
    result<void> declare_contents(method_book& to);
    result<void> declare_config(method_book& to);

    async<answer> list(call asked);
    async<answer> get_details(call asked);
    async<answer> create(call asked);
    async<answer> set_details(call asked);
    async<answer> remove(call asked);
    async<answer> list_systems(call asked);
    async<answer> add_children(call asked);
    async<answer> remove_children(call asked);
    async<answer> add_entitlements(call asked);
    async<answer> remove_entitlements(call asked);
    async<answer> add_packages(call asked);
    async<answer> remove_packages(call asked);
    async<answer> add_groups(call asked);
    async<answer> remove_groups(call asked);
    async<answer> list_config(call asked);
    async<answer> set_config(call asked);
    async<answer> add_config(call asked);
    async<answer> remove_config(call asked);
    async<answer> enable_deployment(call asked);
    async<answer> disable_deployment(call asked);
    async<answer> check_deployment(call asked);

    result<fleet::stored_rule> find(const std::string& key) const;
    async<api::value> told_key(fleet::stored_rule rule) const;
    // Of the key that the argument `key` names.
    using alteration = std::function<result<void>(fleet::stored_rule&)>;
    async<answer> change(call asked, alteration how);
    async<answer> change_config(
        call asked,
        std::function<std::vector<std::string>(std::vector<std::string>, std::vector<std::string>)>
            how);
    async<void> be_only_default(std::string key);
    async<std::vector<std::string>> groups_in(call asked) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

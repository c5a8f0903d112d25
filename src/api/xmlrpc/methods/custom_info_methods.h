#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/configuration/configuration_services.h"

#include <string>

namespace muster::xmlrpc_api {

// system.custominfo.* and the values of system.*: what people want to know of systems that no
// machine can tell. A value can be given for a key that was made before.
class custom_info_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        muster::clock& clock;
    };

    explicit custom_info_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_keys(call call);
    async<answer> create_key(call call);
    async<answer> update_key(call call);
    async<answer> delete_key(call call);
    async<answer> get_values(call call);
    async<answer> set_values(call call);
    async<answer> delete_values(call call);

    result<void> check_key(const std::string& label) const;
    async<void> drop_values(std::string label, std::string by) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

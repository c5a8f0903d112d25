#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/configuration/configuration_services.h"

#include <string>

namespace muster::xmlrpc_api {

// system.custominfo.* and the custom values of system.*: information that users record about
// systems. A value needs a key that was created before.
class custom_info_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        muster::clock& clock;
    };

    explicit custom_info_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_keys(call call);
    async<method_response> create_key(call call);
    async<method_response> update_key(call call);
    async<method_response> delete_key(call call);
    async<method_response> get_values(call call);
    async<method_response> set_values(call call);
    async<method_response> delete_values(call call);

    result<void> check_key(const std::string& label) const;
    async<void> remove_values(std::string label, std::string user) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

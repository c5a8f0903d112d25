#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/configuration_services.h"

#include <string>

namespace muster::xmlrpc_api {

// formula.*: the formulas of groups and their data. They are stored and returned, so that a group
// can be saved and restored. Nothing applies them.
class formula_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit formula_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list(call call);
    async<method_response> set(call call);
    async<method_response> get_data(call call);
    async<method_response> set_data(call call);

    // The name of the group whose number is in the argument.
    async<std::string> find_group(call call, std::string argument) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

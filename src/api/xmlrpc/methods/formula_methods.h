#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/configuration_services.h"

#include <string>

namespace muster::xmlrpc_api {

// formula.*: which formulas a group has, and with which data. They are kept and given back, so that
// a group can be saved and restored with them; nothing applies them.
class formula_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit formula_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list(call call);
    async<answer> set(call call);
    async<answer> get_data(call call);
    async<answer> set_data(call call);

    // The name of the group whose number the argument gives.
    async<std::string> group_in(call call, std::string argument) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

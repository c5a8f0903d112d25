#pragma once

#include "api/xmlrpc/methods/access_methods.h"
#include "api/xmlrpc/methods/activation_key_methods.h"
#include "api/xmlrpc/methods/config_channel_methods.h"
#include "api/xmlrpc/methods/config_deploy_methods.h"
#include "api/xmlrpc/methods/custom_info_methods.h"
#include "api/xmlrpc/methods/formula_methods.h"
#include "api/xmlrpc/methods/hardware_methods.h"
#include "api/xmlrpc/methods/org_methods.h"
#include "api/xmlrpc/methods/system_config_methods.h"
#include "api/xmlrpc/methods/system_profile_methods.h"
#include "api/xmlrpc/methods/user_change_methods.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Everything of the compatible API by which people say how systems are to be, write down what they
// know of them, and say who may do so.
class configuration_methods {
public:
    struct parts {
        configuration::configuration_services& kept;
        fleet::accept_rule_store& rules;
        const configuration::deployment& deployed;
    };
    struct dependencies {
        const fleet_query& view;
        const action_service& actions;
        compatibility::numeric_id_store& numbers;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        parts with;
    };

    explicit configuration_methods(const dependencies& deps);
    configuration_methods(const configuration_methods&) = delete;
    configuration_methods& operator=(const configuration_methods&) = delete;

    result<void> declare(method_registry& to);

private:
    config_channel_methods channels_;
    system_config_methods systems_;
    config_deploy_methods deploy_;
    custom_info_methods values_;
    system_profile_methods profiles_;
    activation_key_methods keys_;
    hardware_methods hardware_;
    org_methods organisations_;
    user_change_methods people_;
    access_methods roles_;
    formula_methods formulas_;
};

}  // namespace muster::xmlrpc_api

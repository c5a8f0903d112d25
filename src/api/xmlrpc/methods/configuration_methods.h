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

// Methods that configure systems, record information about them, and manage users, roles and
// organisations.
class configuration_methods {
public:
    struct services {
        configuration::configuration_services& configuration;
        fleet::accept_rule_store& rules;
        const configuration::deployment& deployment;
    };
    struct dependencies {
        const fleet_query& fleet;
        const action_service& actions;
        compatibility::numeric_id_store& numbers;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        configuration_methods::services services;
    };

    explicit configuration_methods(const dependencies& deps);
    configuration_methods(const configuration_methods&) = delete;
    configuration_methods& operator=(const configuration_methods&) = delete;

    result<void> declare(method_registry& registry);

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

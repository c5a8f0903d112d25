#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/config_responses.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/configuration/configuration_services.h"
#include "services/configuration/deployment.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Deploys configuration files to systems, or compares them: actions with the function files.deploy.
// Systems with different files get different jobs. A method with one result returns the first
// number.
class config_deploy_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        const configuration::deployment& deployment;
        const action_service& actions;
        muster::clock& clock;
    };

    explicit config_deploy_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> deploy_all(call call);
    async<method_response> apply(call call);
    async<method_response> deploy_channel(call call);
    async<method_response> compare(call call);

    struct deploy_request {
        std::vector<system_number> systems;
        configuration::deployment::choice selection = {};
        configuration::deployment::mode mode = configuration::deployment::mode::write;
        std::optional<wall_time> earliest = {};
        std::string name;
    };
    async<std::vector<std::int64_t>> create_actions(call call, deploy_request request) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

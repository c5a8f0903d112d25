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

// Configuration files are written to systems, or compared with what is there: actions whose agents
// do files.deploy. Systems that get different files are different jobs; where a method gives one
// number, it is that of the first.
class config_deploy_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        const configuration::deployment& deployed;
        const action_service& actions;
        muster::clock& clock;
    };

    explicit config_deploy_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> deploy_all(call call);
    async<answer> apply(call call);
    async<answer> deploy_channel(call call);
    async<answer> compare(call call);

    struct order {
        std::vector<system_number> systems;
        configuration::deployment::choice of = {};
        configuration::deployment::mode how = configuration::deployment::mode::write;
        std::optional<wall_time> earliest = {};
        std::string name;
    };
    async<std::vector<std::int64_t>> make(call call, order order) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

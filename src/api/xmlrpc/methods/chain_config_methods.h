#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/configuration/configuration_services.h"
#include "services/configuration/deployment.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// actionchain.addConfigurationDeployment and addApplyHighstate: steps that deploy configuration
// files. Files and contents are fixed when the step is added.
class chain_config_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        const configuration::configuration_services& configuration;
        const configuration::deployment& deployment;
        const chain_methods& chains;
        muster::clock& clock;
    };

    explicit chain_config_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    struct requested_revision {
        std::string channel;
        std::string path;
        std::int64_t revision = 0;
    };

    async<method_response> deploy(call call);
    async<method_response> apply_all(call call);

    // The file without revisions newer than the requested one.
    async<configuration::config_file> read_file(requested_revision requested) const;
    async<void> check_reach(call call, system_number system, requested_revision requested) const;
    // Returns the number of the first step.
    async<std::int64_t> add(
        call call, std::vector<configuration::config_file> files, std::string name) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

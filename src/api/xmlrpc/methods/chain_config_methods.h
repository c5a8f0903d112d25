#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/configuration/configuration_services.h"
#include "services/configuration/deployment.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// actionchain.addConfigurationDeployment and addApplyHighstate: configuration files are written as
// steps of a chain. Which, and what they hold, is decided when they are added.
class chain_config_methods {
public:
    struct dependencies {
        const fleet_query& view;
        const configuration::configuration_services& configuration;
        const configuration::deployment& deployed;
        const chain_methods& chains;
        muster::clock& clock;
    };

    explicit chain_config_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    struct wanted_revision {
        std::string channel;
        std::string path;
        std::int64_t revision = 0;
    };

    async<answer> deploy(call call);
    async<answer> apply_all(call call);

    // The file with nothing newer than the wanted revision.
    async<configuration::config_file> file_of(wanted_revision wanted_revision) const;
    async<void> check_reach(
        call call, system_number system_number, wanted_revision wanted_revision) const;
    // The number of the first step.
    async<std::int64_t> add(
        call call, std::vector<configuration::config_file> files, std::string name) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"
#include "services/configuration/deployment.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// actionchain.addConfigurationDeployment and addApplyHighstate: configuration files are written as
// steps of a chain. Which, and what they hold, is decided when they are added.
class chain_config_methods {
public:
    struct surroundings {
        const fleet_view& view;
        const configuration::config_office& kept;
        const configuration::deployment& deployed;
        const chain_methods& chains;
        clock& time;
    };

    explicit chain_config_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    struct wanted_revision {
        std::string channel;
        std::string path;
        std::int64_t revision = 0;
    };

    async<answer> deploy(call asked);
    async<answer> apply_all(call asked);

    // The file with nothing newer than the wanted revision.
    async<configuration::config_file> file_of(wanted_revision wanted) const;
    async<void> check_reach(call asked, system_number who, wanted_revision wanted) const;
    // The number of the first step.
    async<std::int64_t> add(
        call asked, std::vector<configuration::config_file> files, std::string name) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

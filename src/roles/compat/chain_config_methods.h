#pragma once

#include "roles/compat/chain_methods.h"
#include "roles/compat/fleet_view.h"
#include "roles/compat/method_book.h"
#include "roles/config/config_office.h"
#include "roles/config/deployment.h"

#include <string>
#include <vector>

namespace muster::compat {

// actionchain.addConfigurationDeployment and addApplyHighstate: configuration files are written as
// steps of a chain. Which, and what they hold, is decided when they are added.
class chain_config_methods {
public:
    struct surroundings {
        const fleet_view& view;
        const config::config_office& kept;
        const config::deployment& deployed;
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
    async<config::config_file> file_of(wanted_revision wanted) const;
    async<void> check_reach(call asked, system_number who, wanted_revision wanted) const;
    // The number of the first step.
    async<std::int64_t> add(
        call asked, std::vector<config::config_file> files, std::string name) const;

    surroundings around_;
};

}  // namespace muster::compat

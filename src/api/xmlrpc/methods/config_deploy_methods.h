#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/config_answers.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"
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
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        const configuration::deployment& deployed;
        const action_desk& actions;
        clock& time;
    };

    explicit config_deploy_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> deploy_all(call asked);
    async<answer> apply(call asked);
    async<answer> deploy_channel(call asked);
    async<answer> compare(call asked);

    struct order {
        std::vector<system_number> systems;
        configuration::deployment::choice of = {};
        configuration::deployment::mode how = configuration::deployment::mode::write;
        std::optional<wall_time> earliest = {};
        std::string name;
    };
    async<std::vector<std::int64_t>> make(call asked, order wanted) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

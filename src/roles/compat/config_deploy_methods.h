#pragma once

#include "roles/compat/action_desk.h"
#include "roles/compat/config_answers.h"
#include "roles/compat/fleet_view.h"
#include "roles/compat/method_book.h"
#include "roles/config/config_office.h"
#include "roles/config/deployment.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::compat {

// Configuration files are written to systems, or compared with what is there: actions whose agents
// do files.deploy. Systems that get different files are different jobs; where a method gives one
// number, it is that of the first.
class config_deploy_methods {
public:
    struct surroundings {
        const fleet_view& view;
        config::config_office& kept;
        const config::deployment& deployed;
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
        config::deployment::choice of = {};
        config::deployment::mode how = config::deployment::mode::write;
        std::optional<wall_time> earliest = {};
        std::string name;
    };
    async<std::vector<std::int64_t>> make(call asked, order wanted) const;

    surroundings around_;
};

}  // namespace muster::compat

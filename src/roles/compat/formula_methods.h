#pragma once

#include "roles/cluster/number_book.h"
#include "roles/compat/declaring.h"
#include "roles/compat/fleet_view.h"
#include "roles/compat/method_book.h"
#include "roles/config/config_office.h"

#include <string>

namespace muster::compat {

// formula.*: which formulas a group has, and with which data. They are kept and given back, so that
// a group can be saved and restored with them; nothing applies them.
class formula_methods {
public:
    struct surroundings {
        const fleet_view& view;
        config::config_office& kept;
        cluster::number_book& numbers;
        clock& time;
    };

    explicit formula_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list(call asked);
    async<answer> set(call asked);
    async<answer> get_data(call asked);
    async<answer> set_data(call asked);

    // The name of the group whose number the argument gives.
    async<std::string> group_in(call asked, std::string argument) const;

    surroundings around_;
};

}  // namespace muster::compat

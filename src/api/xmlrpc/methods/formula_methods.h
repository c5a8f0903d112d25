#pragma once

#include "services/compatibility/number_book.h"
#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"

#include <string>

namespace muster::xmlrpc_api {

// formula.*: which formulas a group has, and with which data. They are kept and given back, so that
// a group can be saved and restored with them; nothing applies them.
class formula_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        compatibility::number_book& numbers;
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

}  // namespace muster::xmlrpc_api

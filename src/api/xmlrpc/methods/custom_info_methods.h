#pragma once

#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"

#include <string>

namespace muster::xmlrpc_api {

// system.custominfo.* and the values of system.*: what people want to know of systems that no
// machine can tell. A value can be given for a key that was made before.
class custom_info_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        clock& time;
    };

    explicit custom_info_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_keys(call asked);
    async<answer> create_key(call asked);
    async<answer> update_key(call asked);
    async<answer> delete_key(call asked);
    async<answer> get_values(call asked);
    async<answer> set_values(call asked);
    async<answer> delete_values(call asked);

    result<void> check_key(const std::string& label) const;
    async<void> drop_values(std::string label, std::string by) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

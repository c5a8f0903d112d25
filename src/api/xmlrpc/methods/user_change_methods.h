#pragma once

#include "services/compatibility/number_book.h"
#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/methods/person_record.h"
#include "services/configuration/config_office.h"
#include "services/people/people_office.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// user.*: people are made, changed, given roles and removed. A role that is given here is given in
// the whole cluster. The groups of a user are kept and shown; what somebody may do is said by roles
// and zones alone.
class user_change_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        compatibility::number_book& numbers;
        clock& time;
    };

    explicit user_change_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_groups(method_book& to);

    async<answer> create(call asked);
    async<answer> remove(call asked);
    async<answer> enable(call asked);
    async<answer> disable(call asked);
    async<answer> set_details(call asked);
    async<answer> add_role(call asked);
    async<answer> remove_role(call asked);
    async<answer> list_assigned(call asked);
    async<answer> add_assigned(call asked);
    async<answer> remove_assigned(call asked);
    async<answer> list_default(call asked);
    async<answer> add_default(call asked);
    async<answer> remove_default(call asked);

    async<answer> list_groups(call asked, std::vector<std::string> person_record::* which) const;
    enum class change { add, remove };
    async<answer> change_groups(
        call asked, std::vector<std::string> person_record::* which, change how);
    async<answer> change_role(call asked, change how);

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

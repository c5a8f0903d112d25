#pragma once

#include "roles/cluster/number_book.h"
#include "roles/compat/declaring.h"
#include "roles/compat/fleet_view.h"
#include "roles/compat/method_book.h"
#include "roles/compat/person_record.h"
#include "roles/config/config_office.h"
#include "roles/people/people_office.h"

#include <string>
#include <vector>

namespace muster::compat {

// user.*: people are made, changed, given roles and removed. A role that is given here is given in
// the whole cluster. The groups of a user are kept and shown; what somebody may do is said by roles
// and zones alone.
class user_change_methods {
public:
    struct surroundings {
        const fleet_view& view;
        config::config_office& kept;
        cluster::number_book& numbers;
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

}  // namespace muster::compat

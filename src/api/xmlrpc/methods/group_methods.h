#pragma once

#include "services/compatibility/number_book.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/operations/group_guard.h"

namespace muster::xmlrpc_api {

// systemgroup.*: the saved groups. A system is in one by the group's expression, or because it has
// its name as a label, which is what adding it to a group means here; a group that is made here has
// an expression that means nobody.
class group_methods {
public:
    struct surroundings {
        const fleet_view& view;
        fleet::group_book& groups;
        fleet::registrar& keys;
        compatibility::number_book& numbers;
        clock& time;
        const api::group_guard& guard;
    };

    explicit group_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_all(call asked);
    async<answer> get_details(call asked);
    async<answer> get_details_by_number(call asked);
    async<answer> list_systems(call asked);
    async<answer> create(call asked);
    async<answer> update(call asked);
    async<answer> remove(call asked);
    async<answer> add_or_remove(call asked);

    result<fleet::saved_group> find(const std::string& name) const;
    async<api::value> told(call asked, fleet::saved_group group) const;
    result<api::value> told(
        const call& asked, const fleet::saved_group& group, std::int64_t number) const;
    async<void> relabel(
        call asked, fleet::registrar::targets which, lifecycle::label_change wanted) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

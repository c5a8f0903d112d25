#pragma once

#include "services/compatibility/number_book.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// system.*: the accepted systems of the fleet.
class system_methods {
public:
    struct surroundings {
        const fleet_view& view;
        fleet::registrar& keys;
        compatibility::number_book& numbers;
        clock& time;
    };

    explicit system_methods(surroundings around)
        : view_(around.view), keys_(around.keys), numbers_(around.numbers), time_(around.time) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_lists(method_book& to);
    result<void> declare_removal(method_book& to);

    async<answer> list(call asked);
    async<answer> list_active(call asked);
    async<answer> list_inactive(call asked);
    async<answer> get_id(call asked);
    async<answer> get_name(call asked);
    async<answer> get_details(call asked);
    async<answer> search_by_name(call asked);
    async<answer> list_groups(call asked);
    async<answer> has_traditional(call asked);
    async<answer> remove_one(call asked);
    async<answer> remove_many(call asked);

    result<answer> by_last_sign(const call& asked, std::int64_t days, bool wanted_active) const;
    async<answer> unregister(call asked, std::vector<system_record> which);

    const fleet_view& view_;
    fleet::registrar& keys_;
    compatibility::number_book& numbers_;
    clock& time_;
};

}  // namespace muster::xmlrpc_api

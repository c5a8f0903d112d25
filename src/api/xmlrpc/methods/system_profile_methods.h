#pragma once

#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"

#include <string>

namespace muster::xmlrpc_api {

// What people write down about one system: its name for people, where it stands, notes,
// entitlements, a lock; and by which activation key it came.
class system_profile_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        clock& time;
    };

    explicit system_profile_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_notes(method_book& to);
    result<void> declare_entitlements(method_book& to);

    async<answer> set_details(call asked);
    async<answer> set_name(call asked);
    async<answer> set_lock(call asked);
    async<answer> list_notes(call asked);
    async<answer> add_note(call asked);
    async<answer> delete_note(call asked);
    async<answer> delete_notes(call asked);
    async<answer> get_entitlements(call asked);
    async<answer> add_entitlements(call asked);
    async<answer> remove_entitlements(call asked);
    async<answer> list_activation_keys(call asked);
    async<answer> refresh_pillar(call asked);

    async<fleet::system_profile> profile_in(call asked) const;
    async<answer> change(call asked, fleet::profile_book::alteration how) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/fleet/profile_book.h"
#include "services/fleet/rule_book.h"

#include <set>

namespace muster::xmlrpc_api {

// saltkey.*: who knocked, and what is decided about them. Keys go by their systems' names; a name
// that several keys have is refused when something is to be done with one of them.
class saltkey_methods {
public:
    struct surroundings {
        const fleet_view& view;
        fleet::registrar& keys;
        const cluster::topology_cell& places;
        clock& time;
        const fleet::rule_book& rules;
        fleet::profile_book& profiles;
    };

    explicit saltkey_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_accepted(call asked);
    async<answer> list_pending(call asked);
    async<answer> list_rejected(call asked);
    async<answer> list_denied(call asked);
    async<answer> accept(call asked);
    async<answer> reject(call asked);
    async<answer> remove(call asked);

    answer list(const call& asked, enrolment stage) const;
    async<fleet::registrar::targets> find(call asked, std::set<enrolment> stages) const;
    result<std::string> only_zone(const call& asked) const;
    async<answer> ended(async<fleet::tally> work) const;
    // The activation key for those who came without one; nothing: there is none.
    std::optional<fleet::stored_rule> default_key() const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api

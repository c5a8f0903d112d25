#pragma once

#include "services/cluster/zones.h"
#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/methods/organisations.h"
#include "services/configuration/config_office.h"
#include "services/fleet/rule_book.h"
#include "services/people/record.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// org.* and org.trusts.*: organisations (organisations.h). Trust between them is kept and shown;
// what somebody may do is said by roles and zones alone.
class org_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        const fleet::rule_book& rules;
        const cluster::topology_cell& places;
        compatibility::number_book& numbers;
        clock& time;
    };

    explicit org_methods(surroundings around);

    result<void> declare(method_book& to);

private:
    result<void> declare_trusts(method_book& to);

    async<answer> list(call asked);
    async<answer> get_details(call asked);
    async<answer> list_users(call asked);
    async<answer> create(call asked);
    async<answer> create_first(call asked);
    async<answer> update_name(call asked);
    async<answer> remove(call asked);
    async<answer> list_trusted(call asked);
    async<answer> list_trusts(call asked);
    async<answer> trust_details(call asked);
    async<answer> add_trust(call asked);
    async<answer> remove_trust(call asked);
    async<answer> nothing_shared(call asked);

    api::value told_org(
        const call& asked, const organisation& which, const std::vector<organisation>& all) const;
    async<api::value> told_one(call asked, organisation which) const;
    cluster::zones::census counting(const call& asked) const;
    std::vector<people::user_record> users_of(const call& asked, const organisation& which) const;
    async<answer> change_trust(call asked, organisations::trusting what);

    surroundings around_;
    organisations known_;
};

}  // namespace muster::xmlrpc_api

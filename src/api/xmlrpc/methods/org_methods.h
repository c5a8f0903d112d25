#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/organisations.h"
#include "services/cluster/zones.h"
#include "services/configuration/configuration_services.h"
#include "services/fleet/accept_rule_store.h"
#include "services/people/record.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// org.* and org.trusts.*: organisations (organisations.h). Trust between them is kept and shown;
// what somebody may do is said by roles and zones alone.
class org_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        const fleet::accept_rule_store& rules;
        const cluster::topology_cache& topology;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit org_methods(dependencies deps);

    result<void> declare(method_registry& to);

private:
    result<void> declare_trusts(method_registry& to);

    async<answer> list(call call);
    async<answer> get_details(call call);
    async<answer> list_users(call call);
    async<answer> create(call call);
    async<answer> create_first(call call);
    async<answer> update_name(call call);
    async<answer> remove(call call);
    async<answer> list_trusted(call call);
    async<answer> list_trusts(call call);
    async<answer> trust_details(call call);
    async<answer> add_trust(call call);
    async<answer> remove_trust(call call);
    async<answer> nothing_shared(call call);

    api::value told_org(
        const call& call, const organisation& which, const std::vector<organisation>& all) const;
    async<api::value> told_one(call call, organisation organisation) const;
    cluster::zones::census counting(const call& call) const;
    std::vector<people::user_record> users_of(
        const call& call, const organisation& organisation) const;
    async<answer> change_trust(call call, organisations::trusting trusting);

    dependencies deps_;
    organisations known_;
};

}  // namespace muster::xmlrpc_api

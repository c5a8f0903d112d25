#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/organisations.h"
#include "services/cluster/zone_service.h"
#include "services/configuration/configuration_services.h"
#include "services/fleet/accept_rule_store.h"
#include "services/people/record.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// org.* and org.trusts.*: organisations (organisations.h). Trust between organisations is stored
// and shown only; rights depend on roles and zones.
class org_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        const fleet::accept_rule_store& rules;
        const cluster::topology_cache& topology;
        compatibility::numeric_id_store& numbers;
        muster::clock& clock;
    };

    explicit org_methods(dependencies deps);

    result<void> declare(method_registry& registry);

private:
    result<void> declare_trusts(method_registry& registry);

    async<method_response> list(call call);
    async<method_response> get_details(call call);
    async<method_response> list_users(call call);
    async<method_response> create(call call);
    async<method_response> create_first(call call);
    async<method_response> update_name(call call);
    async<method_response> remove(call call);
    async<method_response> list_trusted(call call);
    async<method_response> list_trusts(call call);
    async<method_response> trust_details(call call);
    async<method_response> add_trust(call call);
    async<method_response> remove_trust(call call);
    async<method_response> list_nothing(call call);

    api::value org_value(
        const call& call, const organisation& subject, const std::vector<organisation>& orgs) const;
    async<api::value> read_org_value(call call, organisation organisation) const;
    cluster::zone_service::system_counter system_counter(const call& call) const;
    std::vector<people::user_record> find_users(
        const call& call, const organisation& organisation) const;
    async<method_response> change_trust(call call, organisations::trust_change trust_change);

    dependencies deps_;
    organisations orgs_;
};

}  // namespace muster::xmlrpc_api

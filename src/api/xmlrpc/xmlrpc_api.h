#pragma once

#include "api/xmlrpc/calls/session_key_authenticator.h"
#include "api/xmlrpc/calls/xmlrpc_endpoint.h"
#include "api/xmlrpc/calls/xmlrpc_json_endpoint.h"
#include "api/xmlrpc/methods/action_methods.h"
#include "api/xmlrpc/methods/api_methods.h"
#include "api/xmlrpc/methods/auth_methods.h"
#include "api/xmlrpc/methods/chain_config_methods.h"
#include "api/xmlrpc/methods/chain_package_methods.h"
#include "api/xmlrpc/methods/configuration_methods.h"
#include "api/xmlrpc/methods/content_methods.h"
#include "api/xmlrpc/methods/group_methods.h"
#include "api/xmlrpc/methods/hub_methods.h"
#include "api/xmlrpc/methods/migration_methods.h"
#include "api/xmlrpc/methods/saltkey_methods.h"
#include "api/xmlrpc/methods/software_overview_methods.h"
#include "api/xmlrpc/methods/system_methods.h"
#include "api/xmlrpc/methods/system_search_methods.h"
#include "api/xmlrpc/methods/user_methods.h"

namespace muster::xmlrpc_api {

// The compatible API: its methods on the real model, and the doors to them (docs/xmlrpc.md).
class compatible_api {
public:
    // An aggregate of references.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    struct dependencies {
        const api::registry& checks;
        const api::request_authenticator& authenticator;
        fleet_query::dependencies fleet;
        fleet::group_store& groups;
        fleet::system_service& keys;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        action_methods::parts work;
        configuration_methods::parts configuration;
        content::content_services& software;
        api::fan_out_limits asking = {};
    };

    explicit compatible_api(dependencies deps);

    // Declares the methods and opens the doors.
    result<void> add_routes(net::http::router& to);

    const method_registry& methods() const { return methods_; }

private:
    method_registry methods_;
    systems_by_node_cache served_;
    fleet_query view_;
    action_methods actions_;
    configuration_methods configuration_;
    content_methods software_;
    chain_package_methods chained_software_;
    chain_config_methods chained_files_;
    migration_methods migrations_;
    software_overview_methods overviews_;
    api::group_guard labels_;
    auth_methods auth_;
    api_methods api_;
    system_methods systems_;
    system_search_methods searches_;
    group_methods groups_;
    user_methods users_;
    saltkey_methods keys_;
    session_key_authenticator door_;
    method_dispatcher calls_;
    relay further_;
    hub_methods hub_;
    xmlrpc_endpoint in_xml_;
    xmlrpc_json_endpoint in_json_;
};

}  // namespace muster::xmlrpc_api

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

// Assembles the Uyuni-compatible API: its methods and their XML-RPC and JSON endpoints
// (docs/howto/xmlrpc_api.md).
class xmlrpc_api {
public:
    // An aggregate of references.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    struct dependencies {
        const api::registry& registry;
        const api::request_authenticator& authenticator;
        fleet_query::dependencies fleet;
        fleet::group_store& groups;
        fleet::system_service& keys;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        action_methods::services actions;
        configuration_methods::services configuration;
        content::content_services& content;
        api::fan_out_limits fan_out = {};
    };

    explicit xmlrpc_api(dependencies deps);

    // Declares the methods and adds the routes of both endpoints.
    result<void> add_routes(net::http::router& router);

    const method_registry& methods() const { return methods_; }

private:
    method_registry methods_;
    systems_by_node_cache systems_by_node_;
    fleet_query fleet_;
    action_methods actions_;
    configuration_methods configuration_;
    content_methods content_;
    chain_package_methods chain_packages_;
    chain_config_methods chain_configuration_;
    migration_methods migrations_;
    software_overview_methods overviews_;
    api::group_label_policy group_guard_;
    auth_methods auth_;
    api_methods api_;
    system_methods systems_;
    system_search_methods searches_;
    group_methods groups_;
    user_methods users_;
    saltkey_methods keys_;
    session_key_authenticator authenticator_;
    method_dispatcher dispatcher_;
    hub_relay hub_relay_;
    hub_methods hub_;
    xmlrpc_endpoint xml_endpoint_;
    xmlrpc_json_endpoint json_endpoint_;
};

}  // namespace muster::xmlrpc_api

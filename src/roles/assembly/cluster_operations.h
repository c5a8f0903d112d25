#pragma once

#include "api/peer/join_api.h"
#include "api/rest/audit_api.h"
#include "api/rest/cluster_api.h"
#include "api/rest/login_api.h"
#include "api/rest/nodes_api.h"
#include "api/rest/own_account_api.h"
#include "api/rest/people_api.h"
#include "api/rest/stats_api.h"
#include "api/rest/zones_api.h"
#include "roles/assembly/server_services.h"

namespace muster::roles {

// Owns the APIs of the cluster: servers, nodes, zones, users, roles, sessions, audit trail.
class cluster_operations {
public:
    cluster_operations(
        server_services& base,
        const api::system_directory& directory,
        const api::revisions_api& revisions);

    result<void> declare(api::registry& operations);
    result<void> add_routes(net::http::router& routes) { return join_.add_routes(routes); }

private:
    server_services& base_;
    api::cluster_api cluster_;
    api::nodes_api nodes_;
    api::zones_api zones_;
    api::stats_api stats_;
    api::join_api join_;
    api::login_api login_;
    api::own_account_api own_account_;
    api::people_api people_;
    api::audit_api audit_;
};

}  // namespace muster::roles

#pragma once

#include "api/operations/registry.h"
#include "api/operations/system_directory.h"
#include "api/rest/rest_endpoint.h"
#include "api/xmlrpc/xmlrpc_api.h"
#include "roles/assembly/cluster_operations.h"
#include "roles/assembly/fleet_operations.h"
#include "roles/assembly/job_operations.h"
#include "roles/assembly/management_services.h"
#include "roles/assembly/revision_operations.h"
#include "roles/assembly/role.h"
#include "services/content/package_list_pruner.h"
#include "services/provisioning/activation_key_provisioner.h"

#include <chrono>
#include <string>

namespace muster::roles {

// The gateway role: the REST API, the compatible XML-RPC API, and the services behind them.
class gateway_role final : public role {
public:
    struct options {
        std::chrono::hours presence_retention{};  // retention of presence history
        revision::editing_rules edits = {};
        api::fan_out_limits peers = {};
        std::string version;
    };

    gateway_role(management_services& management, const options& options);

    result<void> add_routes(net::http::router& routes) override;
    void start(runtime::task_group& loops) override;
    boost::asio::awaitable<void> stop() override;

private:
    management_services& management_;
    server_services& base_;
    std::string version_;
    api::fleet_directory directory_;
    api::registry operations_;
    api::rest_endpoint rest_;
    fleet_operations fleet_;
    job_operations jobs_;
    xmlrpc_api::xmlrpc_api xmlrpc_;
    revision_operations revisions_;
    cluster_operations cluster_;
    provisioning::activation_key_provisioner key_provisioner_;
    content::package_list_pruner package_lists_;
};

}  // namespace muster::roles

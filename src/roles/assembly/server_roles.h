#pragma once

#include "roles/assembly/drift_reporter.h"
#include "roles/assembly/driver_role.h"
#include "roles/assembly/gateway_role.h"
#include "roles/assembly/management_services.h"
#include "roles/assembly/node_role.h"
#include "roles/assembly/role.h"
#include "roles/assembly/server_services.h"

#include <memory>
#include <optional>
#include <vector>

namespace muster::roles {

// Owns the roles of a server. Created when the engines are open, so that all routes exist early;
// started when the cluster is known. Not thread-safe: call from the control loop. Routes are
// thread-safe.
class server_roles {
public:
    struct options {
        server_services::options server = {};
        management_services::options management = {};
        driver_role::options driver = {};
        node_role::options node = {};
        gateway_role::options gateway = {};
    };

    server_roles(server_context context, const options& options);
    server_roles(const server_roles&) = delete;
    server_roles& operator=(const server_roles&) = delete;

    result<void> add_routes(net::http::router& routes);
    net::http::channel_handler agent_connections();
    void start(runtime::task_group& loops);
    // Call after the loops have ended.
    boost::asio::awaitable<void> stop();

    server_services& services() { return services_; }

private:
    server_context context_;
    server_services services_;
    std::optional<management_services> management_;  // of gateways and drivers
    std::optional<drift_reporter> drift_;            // of all but gateways
    std::vector<std::unique_ptr<role>> roles_;       // in stop order
};

}  // namespace muster::roles

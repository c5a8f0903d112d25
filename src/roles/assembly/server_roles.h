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

// The roles that a server has. Built when its engines are open, so that every route is there from
// the first moment; they start when the cluster is known. Lives on the server's control loop; what
// its routes need is thread-safe.
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

    result<void> add_routes(net::http::router& to);
    net::http::channel_handler agent_connections();
    void start(runtime::task_group& loops);
    // After the loops have ended.
    boost::asio::awaitable<void> stop();

    server_services& services() { return services_; }

private:
    server_context context_;
    server_services services_;
    std::optional<management_services> management_;  // of gateways and drivers
    std::optional<drift_reporter> drift_;            // of all but gateways
    std::vector<std::unique_ptr<role>> roles_;       // in the order in which they stop
};

}  // namespace muster::roles

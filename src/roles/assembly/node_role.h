#pragma once

#include "roles/assembly/role.h"
#include "roles/assembly/server_services.h"
#include "roles/node/connections/agent_connection_server.h"
#include "roles/node/connections/peer_api.h"
#include "roles/node/dispatch/dispatch_services.h"
#include "roles/node/dispatch/task_inbox.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/presence/node_presence.h"

#include <cstdint>

namespace muster::roles {

// The node role: serves the agents of its slots and runs their tasks.
class node_role final : public role {
public:
    struct options {
        node::connection_options connections = {};
        std::uint64_t node_points = 0;    // concurrent tasks of the node
        std::uint32_t system_points = 0;  // concurrent tasks of one system
        std::size_t open_jobs_max = 0;
    };

    node_role(server_services& base, const options& options);

    result<void> add_routes(net::http::router& routes) override {
        return peer_api_.add_routes(routes);
    }
    net::http::channel_handler agent_connections() override { return connections_.handler(); }
    void start(runtime::task_group& loops) override;
    boost::asio::awaitable<void> stop() override;

private:
    server_services& base_;
    cluster::node_record_reconciler record_;
    dispatch::task_inbox inbox_;
    node::agent_connection_server connections_;
    node::peer_api peer_api_;
    dispatch::dispatch_services dispatch_;
    presence::node_presence presence_;
};

}  // namespace muster::roles

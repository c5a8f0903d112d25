#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/http/service.h"
#include "runtime/task_group.h"

#include <boost/asio/awaitable.hpp>

namespace muster::roles {

// One role of a server: driver, node or gateway. A role owns the services that only it needs, so
// servers without the role do not create them.
class role {
public:
    role() = default;
    role(const role&) = delete;
    role& operator=(const role&) = delete;
    virtual ~role() = default;

    // Adds routes to the TLS port. Called once, before start().
    virtual result<void> add_routes(net::http::router& /*routes*/) { return {}; }
    // Handles agent connections; null except in the node role.
    virtual net::http::channel_handler agent_connections() { return nullptr; }

    // Called when the cluster is known and its engines respond.
    virtual void start(runtime::task_group& loops) = 0;
    // Planned stop, after all loops have ended: tells the cluster that the role ends.
    virtual boost::asio::awaitable<void> stop() { co_return; }
};

}  // namespace muster::roles

#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/http/service.h"
#include "runtime/task_group.h"

#include <boost/asio/awaitable.hpp>

namespace muster::roles {

// What a server does in one of its roles: driver, node or gateway. A role owns the services that
// only it needs, so that a server without it neither builds nor runs them.
class role {
public:
    role() = default;
    role(const role&) = delete;
    role& operator=(const role&) = delete;
    virtual ~role() = default;

    // What it adds to the TLS port. Called once, before start().
    virtual result<void> add_routes(net::http::router& /*to*/) { return {}; }
    // Who takes the connections of agents; none but in a node.
    virtual net::http::channel_handler agent_connections() { return nullptr; }

    // When the cluster is known and its engines answer.
    virtual void start(runtime::task_group& loops) = 0;
    // A planned stop, after all loops have ended: says to the cluster what it should know.
    virtual boost::asio::awaitable<void> stop() { co_return; }
};

}  // namespace muster::roles

#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "ports/clock.h"
#include "roles/node/dispatch/task_observers.h"

namespace muster::node {

// Serves requests of gateways about systems attached to this node. Mutual TLS; cluster servers
// only. Systems are named by number, jobs by id. Thread-safe.
//
// - GET  /node/systems/{system}/tasks/{job}/output?attempt=&from=  pieces of the running task's
//   output (services/jobs/output_piece.h) until the client disconnects or an attempt has ended
// - GET  /node/systems/{system}/running                            what its agent runs now
// - POST /node/systems/{system}/tasks/{job}/signal?kind=term       term, kill or cancel
class peer_api {
public:
    peer_api(dispatch::task_observers& observers, muster::clock& clock)
        : observers_(observers), clock_(clock) {}

    result<void> add_routes(net::http::router& routes);

private:
    using response_task = async<net::http::response>;

    response_task show_output(net::http::request request);
    response_task list_running(net::http::request request);
    response_task signal(net::http::request request);

    dispatch::task_observers& observers_;
    muster::clock& clock_;
};

}  // namespace muster::node

#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "ports/clock.h"
#include "roles/node/dispatch/task_observers.h"

namespace muster::node {

// What gateways ask a node about the systems attached to it, between servers of the cluster only,
// by mutual TLS. Systems are named by number, jobs by id.
//
// - GET  /node/systems/{system}/tasks/{job}/output?attempt=&from=  pieces of the running task's
//   output (services/jobs/output_piece.h) until the asker hangs up or an attempt has ended
// - GET  /node/systems/{system}/running                            what its agent runs now
// - POST /node/systems/{system}/tasks/{job}/signal?kind=term       term, kill or cancel
class peer_api {
public:
    peer_api(dispatch::task_observers& watching, muster::clock& clock)
        : watching_(watching), clock_(clock) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    answer show_output(net::http::request request);
    answer list_running(net::http::request request);
    answer signal(net::http::request request);

    dispatch::task_observers& watching_;
    muster::clock& clock_;
};

}  // namespace muster::node

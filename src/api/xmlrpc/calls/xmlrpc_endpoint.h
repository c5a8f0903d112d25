#pragma once

#include "adapters/net/http/router.h"
#include "api/xmlrpc/calls/hub_relay.h"
#include "api/xmlrpc/calls/method_dispatcher.h"

namespace muster::xmlrpc_api {

// Serves POST /rpc/api, and /hub/rpc/api for clients of a hub. Every response has status 200, also
// a fault. Short responses are sent at once; long lists are streamed in constant memory. The
// dependencies must outlive the routes.
class xmlrpc_endpoint {
public:
    xmlrpc_endpoint(const method_dispatcher& dispatcher, const hub_relay& relay)
        : dispatcher_(dispatcher), hub_relay_(relay) {}

    result<void> add_routes(net::http::router& router);

private:
    async<net::http::response> respond(net::http::request request);
    async<net::http::response> handle_call(net::http::request request);

    const method_dispatcher& dispatcher_;
    const hub_relay& hub_relay_;
};

}  // namespace muster::xmlrpc_api

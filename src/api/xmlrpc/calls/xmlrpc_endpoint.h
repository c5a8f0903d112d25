#pragma once

#include "adapters/net/http/router.h"
#include "api/xmlrpc/calls/hub_relay.h"
#include "api/xmlrpc/calls/method_dispatcher.h"

namespace muster::xmlrpc_api {

// POST /rpc/api, and /hub/rpc/api for clients of a hub: the methods of the book over XML-RPC.
// Everything is answered with 200, also a fault. A short answer goes out in one write; a long list
// is streamed, and needs no more memory the longer it is. What it is given must outlive the routes.
class xmlrpc_endpoint {
public:
    xmlrpc_endpoint(const method_dispatcher& calls, const relay& further)
        : calls_(calls), further_(further) {}

    result<void> add_routes(net::http::router& to);

private:
    async<net::http::response> respond(net::http::request request);
    async<net::http::response> answer_to(net::http::request request);

    const method_dispatcher& calls_;
    const relay& further_;
};

}  // namespace muster::xmlrpc_api

#pragma once

#include "adapters/net/http/client.h"
#include "adapters/net/http/router.h"
#include "adapters/net/tls_client_source.h"
#include "api/operations/operation_lookup.h"
#include "ports/clock.h"
#include "services/revision/record.h"

#include <string>

namespace muster::api {

// Forwards calls to the editing leader over mutual TLS, with the caller and its permissions. The
// leader checks the call itself. It trusts the caller data because a cluster server sent it.
//
// POST /cluster/common is the receiving end. A forwarded call is not forwarded again. Thread-safe.
class leader_client {
public:
    struct dependencies {
        const registry& operations;
        const request_authenticator& authenticator;
        muster::clock& clock;
        const net::tls_client_source& tls;
        operation_lookup others = nullptr;  // operations that are not in the registry
    };

    explicit leader_client(dependencies deps) : deps_(std::move(deps)) {}

    result<void> add_routes(net::http::router& routes);

    // The leader's response. errc::unavailable: the call did not run; errc::timed_out: unknown
    // outcome.
    async<reply> forward(revision::leader_record leader, call call) const;

private:
    async<net::http::response> serve(net::http::request request);
    async<reply> perform(std::string body);

    dependencies deps_;
};

}  // namespace muster::api

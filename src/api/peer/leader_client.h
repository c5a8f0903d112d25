#pragma once

#include "adapters/net/http/client.h"
#include "adapters/net/http/router.h"
#include "adapters/net/tls_client_source.h"
#include "api/operations/operation_lookup.h"
#include "ports/clock.h"
#include "services/revision/record.h"

#include <string>

namespace muster::api {

// The way to the leader: a call that belongs there is handed on over the servers' mutual TLS, with
// who asks and what they may do, and its answer comes back. The leader checks everything itself;
// what it is told of the caller is believed, because it comes from a server of the cluster.
//
// POST /cluster/common is the other end. What has been handed on once is not handed on again.
class leader_client {
public:
    struct dependencies {
        const registry& all;
        const request_authenticator& authenticator;
        muster::clock& clock;
        const net::tls_client_source& tls;
        operation_finder others = nullptr;  // what is not in the registry
    };

    explicit leader_client(dependencies deps) : deps_(std::move(deps)) {}

    result<void> add_routes(net::http::router& routes);

    // What the leader answers. errc::unavailable: it was not asked; errc::timed_out: nobody knows
    // what became of it.
    async<reply> forward(revision::leader_record to, call call) const;

private:
    async<net::http::response> serve(net::http::request request);
    async<reply> perform(std::string body);

    dependencies deps_;
};

}  // namespace muster::api

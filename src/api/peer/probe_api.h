#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/tls_client_source.h"
#include "ports/clock.h"
#include "services/cluster/record.h"

#include <string>

namespace muster::api {

// Probes between servers: POST /cluster/probe checks whether this server reaches another one, and
// request_probe() sends that request to a peer. Mutual TLS; cluster servers only. Thread-safe.
class probe_api {
public:
    struct options {
        monotonic::duration timeout = std::chrono::seconds(2);  // for the response of one server
    };

    probe_api(muster::clock& clock, const net::tls_client_source& tls, options options)
        : clock_(clock), tls_(tls), options_(options) {}

    result<void> add_routes(net::http::router& routes);

    // Whether `peer` reaches `address`. An error means that the peer did not respond.
    async<bool> request_probe(cluster::server_record peer, std::string address) const;

private:
    async<net::http::response> probe(net::http::request request);
    async<bool> is_reachable(std::string address) const;

    muster::clock& clock_;
    const net::tls_client_source& tls_;
    options options_;
};

}  // namespace muster::api

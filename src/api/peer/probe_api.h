#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/tls_client_source.h"
#include "ports/clock.h"
#include "services/cluster/record.h"

#include <string>

namespace muster::api {

// How servers look after each other: POST /cluster/probe asks this server whether it reaches
// another one, and ask() has a peer asked. Between servers of the cluster only, by mutual TLS.
class probe_api {
public:
    struct options {
        monotonic::duration timeout = std::chrono::seconds(2);  // for one server's answer
    };

    probe_api(muster::clock& clock, const net::tls_client_source& tls, options options)
        : clock_(clock), tls_(tls), options_(options) {}

    result<void> add_routes(net::http::router& routes);

    // Whether `peer` reaches `address`. An error means that the peer did not say.
    async<bool> ask(cluster::server_record peer, std::string address) const;

private:
    async<net::http::response> probe(net::http::request request);
    async<bool> reaches(std::string address) const;

    muster::clock& clock_;
    const net::tls_client_source& tls_;
    options options_;
};

}  // namespace muster::api

#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/tls_context.h"
#include "ports/clock.h"
#include "services/cluster/record.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::api {

// How servers look after each other: POST /cluster/probe asks this server whether it reaches
// another one, and ask() has a peer asked. Between servers of the cluster only, by mutual TLS.
class probe_api {
public:
    struct options {
        // The client's side of TLS with this server's certificate as it is now.
        std::function<result<std::shared_ptr<const net::tls_client>>()> tls;
        monotonic::duration patience = std::chrono::seconds(2);  // for one server's answer
    };

    probe_api(clock& time, options options) : time_(time), options_(std::move(options)) {}

    result<void> add_routes(net::http::router& routes);

    // Whether `peer` reaches `address`. An error means that the peer did not say.
    async<bool> ask(cluster::server_record peer, std::string address) const;

private:
    async<net::http::response> probe(net::http::request request);
    async<bool> reaches(std::string address) const;

    clock& time_;
    options options_;
};

}  // namespace muster::api

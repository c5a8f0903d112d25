#pragma once

#include "adapters/net/http/client.h"
#include "adapters/net/tls_client_source.h"
#include "core/model/system.h"
#include "ports/clock.h"
#include "services/cluster/topology.h"
#include "services/fleet/system_cache.h"
#include "services/jobs/output_piece.h"

#include <optional>
#include <string>

namespace muster::api {

// Sends requests to the node that serves a system, for data that only its agent has. Uses mutual
// TLS and the paths of roles/node/connections/peer_api.h. Thread-safe.
class node_client {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        const net::tls_client_source& tls;
    };

    explicit node_client(dependencies deps) : deps_(std::move(deps)) {}

    struct node_location {
        std::string node;
        std::string address;
        friend bool operator==(const node_location&, const node_location&) = default;
    };
    // errc::unavailable: no node serves the system now.
    result<node_location> locate(system_number system) const;

    // The node's response to `path` below /node/systems/NUMBER, with its status.
    async<net::http::client_response> request(
        system_number system, std::string method, std::string path) const;

    result<net::http::client::options> client_options() const;
    static std::string url(
        const node_location& location, system_number system, const std::string& path);

private:
    dependencies deps_;
};

// Reads the output of a running task from its node. Not thread-safe.
class output_stream {
public:
    explicit output_stream(net::http::client::options options) : client_(std::move(options)) {}

    async<void> open(std::string url);
    // Fails when the node ends the stream.
    async<jobs::output_piece> next();

private:
    net::http::client client_;
    std::optional<net::http::client::stream> stream_;
    jobs::output_reader pieces_;
};

}  // namespace muster::api

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

// The way from a gateway to the node that serves a system, for what only its agent can answer: over
// mutual TLS, the paths of roles/node/connections/peer_api.h. Thread-safe.
class node_client {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        const net::tls_client_source& tls;
    };

    explicit node_client(dependencies deps) : deps_(std::move(deps)) {}

    struct place {
        std::string node;
        std::string address;
        friend bool operator==(const place&, const place&) = default;
    };
    // errc::unavailable: nobody serves it at the moment.
    result<place> where(system_number system) const;

    // What the system's node answers to `path` behind /node/systems/NUMBER, with its status.
    async<net::http::answer> ask(system_number system, std::string method, std::string path) const;

    result<net::http::client::options> client_options() const;
    static std::string url(const place& of, system_number system, const std::string& path);

private:
    dependencies deps_;
};

// A running task's output as its node tells it, piece by piece.
class output_stream {
public:
    explicit output_stream(net::http::client::options options) : through_(std::move(options)) {}

    async<void> open(std::string url);
    // An error: the node said no more.
    async<jobs::output_piece> next();

private:
    net::http::client through_;
    std::optional<net::http::client::stream> from_;
    jobs::output_reader pieces_;
};

}  // namespace muster::api

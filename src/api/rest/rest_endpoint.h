#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "api/operations/stream_limiter.h"

namespace muster::api {

// Serves the operations of the registry over HTTP: JSON, problem+json for errors, ETags for reads.
// Streams end when their caller loses access. The registry and the authenticator must outlive the
// routes. Thread-safe.
class rest_endpoint {
public:
    static constexpr std::size_t streams_max = 1'024;

    rest_endpoint(const registry& operations, const request_authenticator& authenticator)
        : operations_(operations), authenticator_(authenticator) {}

    // Adds a route for each operation declared so far.
    result<void> add_routes(net::http::router& routes);

private:
    async<caller> authenticate(const api::operation& operation, const net::http::request& request);
    async<net::http::response> serve(const registry::entry& entry, net::http::request request);
    async<net::http::response> handle(const registry::entry& entry, net::http::request request);

    const registry& operations_;
    const request_authenticator& authenticator_;
    stream_limiter stream_limiter_{streams_max};
};

// Reads the arguments from path, query and body. errc::invalid names the wrong or unknown argument.
async<api::value> read_arguments(const api::operation& operation, net::http::request& request);

}  // namespace muster::api

#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "api/operations/stream_limiter.h"

namespace muster::api {

// The operations of the registry over HTTP: JSON, problem+json for what went
// wrong, ETags on what is read. Streams end when whoever asked would not be let in any more. The
// registry and the desk must outlive the routes.
class rest_endpoint {
public:
    static constexpr std::size_t streams_max = 1'024;

    rest_endpoint(const registry& all, const request_authenticator& authenticator)
        : all_(all), authenticator_(authenticator) {}

    // A route for each operation that is there now.
    result<void> add_routes(net::http::router& to);

private:
    async<caller> admit(const api::operation& operation, const net::http::request& request);
    async<net::http::response> guarded(const registry::entry& entry, net::http::request request);
    async<net::http::response> answer(const registry::entry& entry, net::http::request request);

    const registry& all_;
    const request_authenticator& authenticator_;
    stream_limiter seats_{streams_max};
};

// What stands in the path, the query and the body, as the declaration wants it; errc::invalid names
// what is wrong, also a name that the operation does not know.
async<api::value> read_arguments(const api::operation& operation, net::http::request& request);

}  // namespace muster::api

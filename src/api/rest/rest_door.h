#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "api/operations/stream_seats.h"

namespace muster::api {

// The operations of the registry over HTTP, as DESIGN has it: JSON, problem+json for what went
// wrong, ETags on what is read. Streams end when whoever asked would not be let in any more. The
// registry and the desk must outlive the routes.
class rest_door {
public:
    static constexpr std::size_t streams_max = 1'024;

    rest_door(const registry& all, const front_desk& desk) : all_(all), desk_(desk) {}

    // A route for each operation that is there now.
    result<void> add_routes(net::http::router& to);

private:
    async<visitor> admit(const api::operation& what, const net::http::request& asked);
    async<net::http::response> guarded(const registry::entry& which, net::http::request asked);
    async<net::http::response> answer(const registry::entry& which, net::http::request asked);

    const registry& all_;
    const front_desk& desk_;
    stream_seats seats_{streams_max};
};

// What stands in the path, the query and the body, as the declaration wants it; errc::invalid names
// what is wrong, also a name that the operation does not know.
async<api::value> read_arguments(const api::operation& what, net::http::request& asked);

}  // namespace muster::api

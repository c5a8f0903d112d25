#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"

#include <string>

namespace muster::api {

// GET /openapi.json: the document of all operations, open to anybody; it tells nothing that is not
// in the source. Made once: the registry must be complete.
class openapi_endpoint {
public:
    openapi_endpoint(const registry& all, std::string version)
        : all_(all), version_(std::move(version)) {}

    result<void> add_routes(net::http::router& to);

private:
    const registry& all_;
    std::string version_;
};

}  // namespace muster::api

#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"

#include <string>

namespace muster::api {

// Serves GET /openapi.json, the public description of all operations. Built once in add_routes(),
// so the registry must be complete.
class openapi_endpoint {
public:
    openapi_endpoint(const registry& operations, std::string version)
        : operations_(operations), version_(std::move(version)) {}

    result<void> add_routes(net::http::router& routes);

private:
    const registry& operations_;
    std::string version_;
};

}  // namespace muster::api

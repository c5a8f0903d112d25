#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "core/access/attempt_limiter.h"
#include "services/bootstrap/server_credentials.h"

#include <mutex>
#include <string>

namespace muster::api {

// Lets servers join: an admin creates a token (POST /api/v1/nodes/tokens), the new server presents
// it (POST /cluster/join) and gets the cluster's CA (docs/adr/0007). Guessing is rate-limited.
// Thread-safe.
class join_api {
public:
    struct dependencies {
        const request_authenticator& authenticator;
        muster::clock& clock;
        const bootstrap::server_credentials& credentials;
        std::string address;  // "host:port" where a new server reaches this one
    };

    explicit join_api(dependencies deps)
        : deps_(std::move(deps)), attempts_({.failures_max = 10}) {}

    result<void> declare(registry& operations);
    // The route for new servers, which have no login.
    result<void> add_routes(net::http::router& routes);

private:
    using response_task = async<net::http::response>;

    async<reply> create_token(call call);
    response_task join(net::http::request request);
    std::optional<monotonic::duration> throttle(const std::string& origin);
    void record_attempt(const std::string& origin, const result<void>& outcome);

    dependencies deps_;
    std::mutex mutex_;
    access::attempt_limiter attempts_;
};

}  // namespace muster::api

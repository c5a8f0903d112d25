#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "core/access/attempt_limiter.h"
#include "services/bootstrap/server_credentials.h"

#include <mutex>
#include <string>

namespace muster::api {

// How servers join: an admin has a token made (POST /api/v1/nodes/tokens), the new server shows it
// (POST /cluster/join) and is given the cluster's CA (docs/adr/0007). Guessing is slowed down.
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

    result<void> declare(registry& to);
    // Where a new server shows its token: it has no login.
    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    async<reply> make_token(call call);
    answer join(net::http::request request);
    std::optional<monotonic::duration> login_throttled(const std::string& origin);
    void note(const std::string& origin, const result<void>& outcome);

    dependencies deps_;
    std::mutex guard_;
    access::attempt_limiter attempts_;
};

}  // namespace muster::api

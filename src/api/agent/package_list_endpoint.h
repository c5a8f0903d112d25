#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "core/access/rate_limiter.h"
#include "ports/clock.h"
#include "services/content/package_sets.h"
#include "services/fleet/system_cache.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

namespace muster::api {

// Receives the package lists of agents. The agent's identity is proven by its connection.
//
//   GET  /system/packages?digest=…   204: that list is known; 404: send it
//   POST /system/packages?digest=…   takes the list
//
// A system refers to its list by the fact `packages.digest`. So systems with the same packages
// share one row, and unchanged packages cost nothing. Unused lists are kept for days, so the upload
// rate of a system is limited. Thread-safe.
class package_list_endpoint {
public:
    static constexpr int uploads_max = 16;  // concurrent; further uploads get 429
    static constexpr access::rate rate_per_system{.interval = std::chrono::minutes(5), .burst = 10};
    static constexpr access::rate rate_in_total{
        .interval = std::chrono::milliseconds(5), .burst = 2'000};

    package_list_endpoint(
        const fleet::system_cache& system_cache,
        content::package_sets& package_sets,
        muster::clock& clock)
        : systems_(system_cache), package_sets_(package_sets), clock_(clock) {}

    result<void> add_routes(net::http::router& routes);

private:
    async<net::http::response> check(net::http::request request);
    async<net::http::response> upload(net::http::request request);
    struct upload_request {
        fingerprint system;
        std::string digest;
    };
    result<upload_request> read_request(const net::http::request& request) const;
    // Wait before this system may upload; nullopt: it may upload now.
    std::optional<monotonic::duration> throttle(const fingerprint& fingerprint);

    const fleet::system_cache& systems_;
    content::package_sets& package_sets_;
    muster::clock& clock_;
    std::atomic<int> uploads_ = 0;
    std::mutex mutex_;
    access::rate_limiter upload_limiter_{{.each = rate_per_system, .all = rate_in_total}};
};

}  // namespace muster::api

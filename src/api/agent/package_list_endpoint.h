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

// Where agents tell what is installed on their systems, each proving on its connection who it is:
//
//   GET  /system/packages?digest=…   204: that list is known; 404: send it
//   POST /system/packages?digest=…   takes the list
//
// Which system has which list is a fact of the system, `packages.digest`. So a thousand systems
// with the same packages cost one row, and one whose packages do not change costs nothing. A list
// is kept for days after nobody has it, so one system brings few: others are told to come again.
class package_list_endpoint {
public:
    static constexpr int taken_at_once_max = 16;  // others are told to come again
    static constexpr access::rate lists_of_one{.interval = std::chrono::minutes(5), .burst = 10};
    static constexpr access::rate lists_of_all{
        .interval = std::chrono::milliseconds(5), .burst = 2'000};

    package_list_endpoint(
        const fleet::system_cache& system_cache, content::package_sets& sets, muster::clock& clock)
        : systems_(system_cache), sets_(sets), clock_(clock) {}

    result<void> add_routes(net::http::router& to);

private:
    async<net::http::response> ask(net::http::request request);
    async<net::http::response> take(net::http::request request);
    struct upload_request {
        fingerprint from;
        std::string digest;
    };
    result<upload_request> wish_of(const net::http::request& request) const;
    // How long this one has to wait before it brings a list; nothing: it may.
    std::optional<monotonic::duration> login_throttled(const fingerprint& fingerprint);

    const fleet::system_cache& systems_;
    content::package_sets& sets_;
    muster::clock& clock_;
    std::atomic<int> being_taken_ = 0;
    std::mutex guard_;
    access::rate_limiter brought_{{.each = lists_of_one, .all = lists_of_all}};
};

}  // namespace muster::api

#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "ports/clock.h"
#include "roles/content/package_sets.h"
#include "roles/fleet/fleet.h"

#include <atomic>

namespace muster::content {

// Where agents tell what is installed on their systems, each proving on its connection who it is:
//
//   GET  /system/packages?digest=…   204: that list is known; 404: send it
//   POST /system/packages?digest=…   takes the list
//
// Which system has which list is a fact of the system, `packages.digest`. So a thousand systems
// with the same packages cost one row, and one whose packages do not change costs nothing.
class packages_door {
public:
    static constexpr int taken_at_once_max = 16;  // others are told to come again

    packages_door(const fleet::fleet& known, package_sets& sets, clock& time)
        : known_(known), sets_(sets), time_(time) {}

    result<void> add_routes(net::http::router& to);

private:
    async<net::http::response> ask(net::http::request asked);
    async<net::http::response> take(net::http::request asked);
    result<std::string> digest_of(const net::http::request& asked) const;

    const fleet::fleet& known_;
    package_sets& sets_;
    clock& time_;
    std::atomic<int> being_taken_ = 0;
};

}  // namespace muster::content

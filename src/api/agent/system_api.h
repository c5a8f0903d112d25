#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "core/access/pacer.h"
#include "core/access/rate_limiter.h"
#include "core/lifecycle/network.h"
#include "ports/clock.h"
#include "services/cluster/topology.h"
#include "services/fleet/enroller.h"
#include "services/fleet/fleet.h"
#include "api/agent/proxies.h"
#include "runtime/metrics.h"

#include <mutex>
#include <string>
#include <vector>

namespace muster::api {

// What systems ask the cluster's entry: their state, to be enrolled, and where their node is. The
// first is answered to anyone, from memory and with one byte; the others only to whoever proves on
// this very connection that it has the key. Handlers run on any event loop.
class system_api {
public:
    struct surroundings {
        const fleet::fleet& known;
        fleet::enroller& door;
        const cluster::topology_cell& places;
        clock& time;
        runtime::metrics& counted;
    };
    struct options {
        using limits = access::rate_limiter::limits;
        limits status{
            .each = {.interval = std::chrono::milliseconds(5), .burst = 2'000},
            .all = {.interval = std::chrono::microseconds(25), .burst = 40'000}};
        limits enrol{
            .each = {.interval = std::chrono::milliseconds(50), .burst = 2'000},
            .all = {.interval = std::chrono::milliseconds(2), .burst = 5'000}};
        limits place{
            .each = {.interval = std::chrono::milliseconds(2), .burst = 5'000},
            .all = {.interval = std::chrono::microseconds(100), .burst = 20'000}};
        // How many are sent to their nodes; a storm is paced by it.
        access::pacer::limits pace{
            .turns = {.interval = std::chrono::milliseconds(1), .burst = 2'000}};
        // Addresses that stand for many systems, such as a load balancer's: only what all of them
        // do together is limited, and rules that name networks take nobody in through them.
        api::proxies proxies = {};
        std::uint64_t seed = 1;  // spreads the waits
    };

    system_api(surroundings around, options how);

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    // One question's limit and what became of those who asked it.
    struct gate {
        gate(
            runtime::metrics& counted, const std::string& question, const options::limits& allowed);

        std::mutex guard;
        access::rate_limiter limiter;
        runtime::counter answered;
        runtime::counter limited;
        runtime::counter refused;
    };

    answer status(net::http::request asked);
    answer enrol(net::http::request asked);
    answer place(net::http::request asked);

    std::optional<net::http::response> limit(gate& at, const net::http::request& asked);
    net::http::response place_of(const system_record& system);

    surroundings around_;
    options how_;
    gate status_gate_;
    gate enrol_gate_;
    gate place_gate_;
    std::mutex pace_guard_;
    access::pacer pace_;
};

}  // namespace muster::api

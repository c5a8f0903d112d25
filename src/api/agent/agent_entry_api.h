#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "api/agent/shared_address_networks.h"
#include "core/access/pacer.h"
#include "core/access/rate_limiter.h"
#include "core/lifecycle/network.h"
#include "ports/clock.h"
#include "runtime/metrics.h"
#include "services/cluster/topology.h"
#include "services/fleet/enrolment_service.h"
#include "services/fleet/system_cache.h"

#include <mutex>
#include <string>
#include <vector>

namespace muster::api {

// What systems ask the cluster's entry: their state, to be enrolled, and where their node is. The
// first is answered to anyone, from memory and with one byte; the others only to whoever proves on
// this very connection that it has the key. Handlers run on any event loop.
class agent_entry_api {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        fleet::enrolment_service& door;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        runtime::metrics& metrics;
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

    agent_entry_api(dependencies deps, options options);

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    // One question's limit and what became of those who asked it.
    struct endpoint_limit {
        endpoint_limit(
            runtime::metrics& metrics, const std::string& question, const options::limits& allowed);

        std::mutex guard;
        access::rate_limiter limiter;
        runtime::counter answered;
        runtime::counter limited;
        runtime::counter refused;
    };

    answer status(net::http::request request);
    answer enrol(net::http::request request);
    answer place(net::http::request request);

    std::optional<net::http::response> limit(endpoint_limit& at, const net::http::request& request);
    net::http::response place_of(const system_record& system);

    dependencies deps_;
    options options_;
    endpoint_limit status_gate_;
    endpoint_limit enrol_gate_;
    endpoint_limit place_gate_;
    std::mutex pace_guard_;
    access::pacer pace_;
};

}  // namespace muster::api

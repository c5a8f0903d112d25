#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "api/agent/shared_address_networks.h"
#include "core/access/rate_limiter.h"
#include "core/access/retry_spreader.h"
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

// Serves agents that are not attached: state, enrolment, and placement (which node to attach to).
// The state is public and comes from memory as one byte. Enrolment and placement need a proof,
// bound to the connection, that the agent has its key. Handlers run on any event loop.
class agent_entry_api {
public:
    struct dependencies {
        const fleet::system_cache& systems;
        fleet::enrolment_service& enrolment;
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
        // Rate at which agents are sent to their nodes, to spread a reconnect storm.
        access::retry_spreader::limits placement_pace{
            .turns = {.interval = std::chrono::milliseconds(1), .burst = 2'000}};
        // Addresses shared by many systems, such as a load balancer's. They have no limit per
        // address, and accept rules with networks do not match behind them.
        api::proxies proxies = {};
        std::uint64_t seed = 1;  // randomizes the waits
    };

    agent_entry_api(dependencies deps, options options);

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    // Rate limit and outcome counters of one endpoint.
    struct endpoint_limit {
        endpoint_limit(
            runtime::metrics& metrics, const std::string& endpoint, const options::limits& limits);

        std::mutex guard;
        access::rate_limiter limiter;
        runtime::counter answered;
        runtime::counter limited;
        runtime::counter refused;
    };

    answer status(net::http::request request);
    answer enrol(net::http::request request);
    answer place(net::http::request request);

    std::optional<net::http::response> limit(
        endpoint_limit& endpoint, const net::http::request& request);
    net::http::response placement_response(const system_record& system);

    dependencies deps_;
    options options_;
    endpoint_limit status_limit_;
    endpoint_limit enrol_limit_;
    endpoint_limit placement_limit_;
    std::mutex pacer_guard_;
    access::retry_spreader placement_pacer_;
};

}  // namespace muster::api

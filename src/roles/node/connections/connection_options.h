#pragma once

#include "core/access/rate_limiter.h"
#include "core/model/network.h"
#include "core/session/attach_decision.h"
#include "core/session/attach_rate_limiter.h"
#include "core/session/node_session.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace muster::node {

// Tunables of agent connections.
struct connection_options {
    session::node_session_options terms = {};
    session::retry_delays waits = {};
    session::attach_rate_limiter::options gate = {};
    // Rate of attach attempts by unknown systems per address; above it, the address is refused.
    // Otherwise one machine could use up the attach rate of all.
    access::rate strangers{.interval = std::chrono::milliseconds(50), .burst = 200};
    // Addresses shared by many systems: strangers are not counted there.
    std::vector<network> proxies = {};
    std::size_t attached_max = 18'500;  // below the usual limit of 20,000 descriptors
    // Limit per sweep of one event loop, for closed connections whose slots moved and for requests
    // of deferred facts.
    std::size_t closed_per_sweep = 200;
    std::size_t rechecked_per_sweep = 300;  // compared with the records again
    monotonic::duration sweep_interval = std::chrono::seconds(1);
    // Agents of a stopping node reconnect spread over this time.
    monotonic::duration stop_spread = std::chrono::seconds(5);
    monotonic::duration farewell_time = std::chrono::seconds(2);  // to send the last frame
};

}  // namespace muster::node

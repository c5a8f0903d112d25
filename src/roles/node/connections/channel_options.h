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

// How a node treats the channels of its agents.
struct channel_options {
    session::node_terms terms = {};
    session::pauses waits = {};
    session::attach_rate_limiter::options gate = {};
    // So often systems that nobody knows may say hello from one address; after that nobody may
    // from there. Else one machine could keep the gate closed to all.
    access::rate strangers{.interval = std::chrono::milliseconds(50), .burst = 200};
    // Addresses that stand for many systems: strangers are not counted there.
    std::vector<network> proxies = {};
    std::size_t attached_max = 18'500;  // below the usual limit of 20,000 descriptors
    // So many are let go in one sweep of one event loop: those whose slots moved away, and those
    // that were to be asked for their facts.
    std::size_t let_go_a_sweep = 200;
    std::size_t looked_at_a_sweep = 300;  // records are compared again, some at a time
    monotonic::duration sweep_interval = std::chrono::seconds(1);
    // Agents of a node that stops come back to it spread over this span.
    monotonic::duration stop_spread = std::chrono::seconds(5);
    monotonic::duration farewell_time = std::chrono::seconds(2);  // to send the last frame
};

}  // namespace muster::node

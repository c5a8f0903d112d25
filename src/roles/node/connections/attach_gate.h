#pragma once

#include "core/access/rate_limiter.h"
#include "core/session/attach_rate_limiter.h"
#include "ports/clock.h"
#include "roles/node/connections/connection_options.h"
#include "services/presence/attached_agents.h"

#include <boost/asio/ip/address.hpp>

#include <mutex>
#include <optional>

namespace muster::node {

// Limits how fast agents attach: all of them together, and strangers from one address.
// Thread-safe.
class attach_gate {
public:
    struct dependencies {
        const connection_options& options;
        const presence::attached_agents& attached;
        muster::clock& clock;
    };

    explicit attach_gate(dependencies deps);
    attach_gate(const attach_gate&) = delete;
    attach_gate& operator=(const attach_gate&) = delete;

    // nullopt: the agent may attach; otherwise the time to wait.
    std::optional<monotonic::duration> acquire(const boost::asio::ip::address& address);
    // The agent from this address is known: it does not count as a stranger.
    void on_recognised(const boost::asio::ip::address& address);

private:
    bool is_shared(const boost::asio::ip::address& address) const;

    dependencies deps_;
    std::mutex mutex_;
    session::attach_rate_limiter all_;
    access::rate_limiter strangers_;
};

}  // namespace muster::node

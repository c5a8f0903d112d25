#pragma once

#include "apps/agent/service/log.h"
#include "apps/agent/state_actions/state_action_runner.h"
#include "base/backoff.h"
#include "core/model/system.h"
#include "runtime/async_event.h"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace muster::agent {

// Runs the actions of the system's state until they succeed or the state changes. A running command
// is not interrupted. Not thread-safe.
class state_action_reconciler {
public:
    state_action_reconciler(
        state_action_options options, muster::agent::log& log, muster::clock& clock, prng random);

    void set_state(system_state state, std::string host);

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run();
    // Runs the actions of a last state, with a few attempts.
    boost::asio::awaitable<void> finish(system_state state);

private:
    struct desired_state {
        system_state state;
        std::string host;
    };
    boost::asio::awaitable<bool> attempt(desired_state desired);

    state_action_runner runner_;
    muster::agent::log& log_;
    muster::clock& clock_;
    backoff pause_;
    std::optional<desired_state> desired_;
    runtime::async_event changed_;
};

}  // namespace muster::agent

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

// Brings the system into the wanted state by its scenario, again and again until it worked or
// another state is wanted. A command that runs is let finish.
class state_action_reconciler {
public:
    state_action_reconciler(
        performer_options options, muster::agent::log& log, muster::clock& clock, prng random);

    void want(system_state state, std::string host);

    // Until it is cancelled.
    boost::asio::awaitable<void> run();
    // The last thing an agent does: a few attempts, then it gives up.
    boost::asio::awaitable<void> finish(system_state state);

private:
    struct wanted_state {
        system_state state;
        std::string host;
    };
    boost::asio::awaitable<bool> attempt(wanted_state wanted_state);

    state_action_runner acts_;
    muster::agent::log& log_;
    muster::clock& clock_;
    backoff pause_;
    std::optional<wanted_state> wanted_;
    runtime::async_event changed_;
};

}  // namespace muster::agent

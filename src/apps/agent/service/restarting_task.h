#pragma once

#include "apps/agent/service/log.h"
#include "base/backoff.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <functional>
#include <string>

namespace muster::agent {

// A part of the agent that is restarted after exceptions, because nobody could repair the machine
// without the agent. `create` is called for each start.
struct restarting_part {
    std::string name;
    std::function<boost::asio::awaitable<void>()> create;
};

// Runs a part until it ends or is cancelled. Logs exceptions and restarts the part after growing
// pauses.
boost::asio::awaitable<void> run_with_restart(
    restarting_part part, backoff pauses, muster::clock& clock, muster::agent::log& log);

// The message of an exception.
std::string to_text(const std::exception_ptr& exception);

}  // namespace muster::agent

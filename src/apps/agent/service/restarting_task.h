#pragma once

#include "apps/agent/service/log.h"
#include "base/backoff.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <functional>
#include <string>

namespace muster::agent {

// A part of the agent that must not end with a mistake in it: nobody would be left to mend the
// machine. It is made anew each time.
struct lasting_part {
    std::string name;
    std::function<boost::asio::awaitable<void>()> make;
};

// Runs a part until it ends by itself or is cancelled. When it throws, that is logged and the part
// is started again after a pause that grows.
boost::asio::awaitable<void> run_with_restart(
    lasting_part part, backoff pauses, muster::clock& clock, muster::agent::log& log);

// What an exception says, for people.
std::string text_of(const std::exception_ptr& thrown);

}  // namespace muster::agent

#pragma once

#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace muster::harness {

inline constexpr auto until_timeout = std::chrono::seconds(30);

// Polls until `holds` returns true; throws with `text` after the timeout. For events on the event
// loop of the test; process.h has the same for other processes.
boost::asio::awaitable<void> until(
    muster::clock& clock, std::string text, std::function<bool()> holds);

// The same for an asynchronous condition.
boost::asio::awaitable<void> until_answered(
    muster::clock& clock, std::string text, std::function<boost::asio::awaitable<bool>()> holds);

}  // namespace muster::harness

#pragma once

#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace muster::harness {

inline constexpr auto until_patience = std::chrono::seconds(30);

// Looks again and again until `holds`; throws with `what` when patience is over. For what happens
// on the event loop of the test itself; process.h has the same for other processes.
boost::asio::awaitable<void> until(clock& time, std::string text, std::function<bool()> holds);

// The same when looking takes asking.
boost::asio::awaitable<void> until_answered(
    clock& time, std::string text, std::function<boost::asio::awaitable<bool>()> holds);

}  // namespace muster::harness

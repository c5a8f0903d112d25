#pragma once

#include <boost/asio/awaitable.hpp>

#include <vector>

namespace muster::contract {

// Runs coroutines side by side on the caller's executor until all have ended. When one throws, the
// others are cancelled and its exception is rethrown.
boost::asio::awaitable<void> run_concurrently(std::vector<boost::asio::awaitable<void>> tasks);

}  // namespace muster::contract

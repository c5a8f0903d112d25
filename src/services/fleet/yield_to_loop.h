#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muster::fleet {

// Lets other coroutines of the event loop run. Call it between the parts of long work.
inline boost::asio::awaitable<void> yield_to_loop() {
    const auto executor = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
}

}  // namespace muster::fleet

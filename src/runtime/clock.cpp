#include "runtime/clock.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace muster::runtime {

instant monotonic_now() {
    return instant(std::chrono::steady_clock::now().time_since_epoch());
}

instant system_clock::now() const {
    return monotonic_now();
}

wall_time system_clock::wall() const {
    return std::chrono::floor<wall_time::duration>(std::chrono::system_clock::now());
}

async<void> system_clock::sleep_until(instant deadline) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    timer.expires_at(std::chrono::steady_clock::time_point(deadline.time_since_epoch()));
    const auto [failure] =
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (failure) co_return fail(errc::cancelled, "sleep cancelled");
    co_return result<void>();
}

}  // namespace muster::runtime

#include "ports/deadline.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muster::detail {

boost::asio::awaitable<race_end> race(
    clock& time, monotonic::duration limit, boost::asio::awaitable<void> work) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(work), asio::deferred),
        asio::co_spawn(executor, time.sleep_for(limit), asio::deferred));
    auto [order, work_threw, sleep_threw, slept] =
        co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    co_return race_end{
        .late = order[0] == 1,
        .gave_up = sleep_threw || !slept,
        .work_threw = std::move(work_threw)};
}

}  // namespace muster::detail

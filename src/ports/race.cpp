#include "ports/race.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muster::detail {

boost::asio::awaitable<race_result> race(boost::asio::awaitable<void> work, async<void> rival) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(work), asio::deferred),
        asio::co_spawn(executor, std::move(rival), asio::deferred));
    auto [order, work_exception, rival_exception, rival_result] =
        co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    co_return race_result{
        .work_first = order[0] == 0,
        .work_exception = std::move(work_exception),
        .rival_exception = std::move(rival_exception),
        .rival_result = std::move(rival_result)};
}

}  // namespace muster::detail

#include "api/peer/fan_out.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>

namespace muster::api {

namespace asio = boost::asio;

asio::awaitable<void> fan_out::run(std::size_t times, std::function<asio::awaitable<void>()> work) {
    if (times == 0) co_return;
    const auto executor = co_await asio::this_coro::executor;
    const auto begun = [&] {
        return asio::co_spawn(executor, work(), asio::deferred);
    };
    std::vector<decltype(begun())> all;
    all.reserve(times);
    for (std::size_t at = 0; at < times; ++at) all.push_back(begun());
    auto together = asio::experimental::make_parallel_group(std::move(all));
    auto [order, thrown] =
        co_await together.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& each : thrown)
        if (each) std::rethrow_exception(each);
}

}  // namespace muster::api

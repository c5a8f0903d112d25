#include "api/peer/fan_out.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>

namespace muster::api {

namespace asio = boost::asio;

asio::awaitable<void> fan_out::run(std::size_t count, std::function<asio::awaitable<void>()> work) {
    if (count == 0) co_return;
    const auto executor = co_await asio::this_coro::executor;
    const auto spawn = [&] {
        return asio::co_spawn(executor, work(), asio::deferred);
    };
    std::vector<decltype(spawn())> tasks;
    tasks.reserve(count);
    for (std::size_t index = 0; index < count; ++index) tasks.push_back(spawn());
    auto group = asio::experimental::make_parallel_group(std::move(tasks));
    auto [order, exceptions] =
        co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& exception : exceptions)
        if (exception) std::rethrow_exception(exception);
}

}  // namespace muster::api

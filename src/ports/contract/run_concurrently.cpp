#include "ports/contract/run_concurrently.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace muster::contract {

namespace asio = boost::asio;

asio::awaitable<void> run_concurrently(std::vector<asio::awaitable<void>> tasks) {
    if (tasks.empty()) co_return;
    const auto executor = co_await asio::this_coro::executor;
    using operation = decltype(asio::co_spawn(executor, std::move(tasks[0]), asio::deferred));
    std::vector<operation> operations;
    operations.reserve(tasks.size());
    for (auto& task : tasks) {
        operations.push_back(asio::co_spawn(executor, std::move(task), asio::deferred));
    }
    auto group = asio::experimental::make_parallel_group(std::move(operations));
    auto [order, failures] =
        co_await group.async_wait(asio::experimental::wait_for_one_error(), asio::use_awaitable);
    for (const auto index : order) {
        if (failures[index]) std::rethrow_exception(failures[index]);
    }
}

}  // namespace muster::contract

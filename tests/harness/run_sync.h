#pragma once

#include "ports/async.h"
#include "tests/harness/real_event_loop.h"

#include <optional>
#include <utility>

namespace muster::harness {

namespace detail {

template <class T>
boost::asio::awaitable<void> store_result(async<T> operation, std::optional<result<T>>& outcome) {
    outcome = co_await std::move(operation);
}

}  // namespace detail

// Runs one asynchronous operation to its end on its own event loop.
template <class T>
result<T> run_sync(async<T> operation) {
    real_event_loop loop;
    std::optional<result<T>> outcome;
    loop.run(detail::store_result(std::move(operation), outcome));
    return *std::move(outcome);
}

}  // namespace muster::harness

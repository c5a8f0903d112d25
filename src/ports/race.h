#pragma once

#include "base/assert.h"
#include "ports/async.h"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace muster {

namespace detail {

struct race_result {
    bool work_first = false;
    std::exception_ptr work_exception;
    std::exception_ptr rival_exception;
    result<void> rival_result;
};

// Runs both; the first to end cancels the other. Both have ended when this returns. Without a type
// parameter, so that it is compiled only once.
boost::asio::awaitable<race_result> race(boost::asio::awaitable<void> work, async<void> rival);

template <class T>
boost::asio::awaitable<void> store_outcome(async<T> work, std::optional<result<T>>& outcome) {
    outcome = co_await std::move(work);
}

}  // namespace detail

// Waits for `work` unless `failure` ends first. `failure` ends with an error only: that error is
// returned, the work is cancelled, and its outcome is discarded.
template <class T>
async<T> await_unless(async<void> failure, async<T> work) {
    std::optional<result<T>> outcome;
    auto task = detail::store_outcome<T>(std::move(work), outcome);
    const auto race = co_await detail::race(std::move(task), std::move(failure));
    const auto& exception = race.work_first ? race.work_exception : race.rival_exception;
    if (exception) std::rethrow_exception(exception);
    if (race.work_first) co_return std::move(*outcome);
    MUSTER_ASSERT(!race.rival_result);
    co_return fail(race.rival_result.error());
}

}  // namespace muster

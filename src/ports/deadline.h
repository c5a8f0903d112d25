#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace muster {

// Cancels `work` when `limit` passes first. (Asio's own cancel_after came only after Boost 1.81.)
//
// A value that `work` came to in spite of the cancellation is handed on, not dropped: it may be
// one that never comes again, such as the next event of a watch.
template <class T>
async<T> within(clock& time, monotonic::duration limit, async<T> work) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto race = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(work), asio::deferred),
        asio::co_spawn(executor, time.sleep_for(limit), asio::deferred));
    auto [order, work_threw, outcome, sleep_threw, slept] =
        co_await race.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    const bool late = order[0] == 1;
    if (work_threw && !late) std::rethrow_exception(work_threw);
    if (!late || (!work_threw && outcome)) co_return std::move(outcome);
    if (sleep_threw || !slept) co_return fail(errc::cancelled, "gave up waiting");
    co_return fail(errc::timed_out, "deadline passed");
}

}  // namespace muster

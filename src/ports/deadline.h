#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace muster {

namespace detail {

struct race_end {
    bool late = false;
    bool gave_up = false;
    std::exception_ptr work_threw;
};

// The race itself knows no type: it is compiled once, whatever is waited for.
boost::asio::awaitable<race_end> race(
    clock& time, monotonic::duration limit, boost::asio::awaitable<void> work);

template <class T>
boost::asio::awaitable<void> keep(async<T> work, std::optional<result<T>>& outcome) {
    outcome = co_await std::move(work);
}

}  // namespace detail

// Cancels `work` when `limit` passes first. (Asio's own cancel_after came only after Boost 1.81.)
//
// A value that `work` came to in spite of the cancellation is handed on, not dropped: it may be
// one that never comes again, such as the next event of a watch.
template <class T>
async<T> within(clock& time, monotonic::duration limit, async<T> work) {
    std::optional<result<T>> outcome;
    const auto end = co_await detail::race(time, limit, detail::keep<T>(std::move(work), outcome));
    if (end.work_threw && !end.late) std::rethrow_exception(end.work_threw);
    if (outcome && (!end.late || *outcome)) co_return std::move(*outcome);
    if (end.gave_up) co_return fail(errc::cancelled, "gave up waiting");
    co_return fail(errc::timed_out, "deadline passed");
}

}  // namespace muster

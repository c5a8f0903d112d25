#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <utility>

namespace muster {

// Cancels `work` when `limit` passes first. (Asio's own cancel_after came only after Boost 1.81.)
//
// `work` must report failure as a value: with `||` an exception does not end the wait, the timer
// does.
template <class T>
async<T> within(clock& time, monotonic::duration limit, async<T> work) {
    using boost::asio::experimental::awaitable_operators::operator||;
    auto first = co_await (std::move(work) || time.sleep_for(limit));
    if (first.index() == 1) co_return fail(errc::timed_out, "deadline passed");
    co_return std::get<0>(std::move(first));
}

}  // namespace muster

#pragma once

#include "base/assert.h"
#include "ports/async.h"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace muster {

namespace detail {

struct race_end {
    bool work_first = false;
    std::exception_ptr work_threw;
    std::exception_ptr rival_threw;
    result<void> rival;
};

// Whoever ends first cancels the other; both have ended when this returns. The race itself knows no
// type: it is compiled once, whatever is waited for.
boost::asio::awaitable<race_end> race(boost::asio::awaitable<void> work, async<void> rival);

template <class T>
boost::asio::awaitable<void> keep(async<T> work, std::optional<result<T>>& outcome) {
    outcome = co_await std::move(work);
}

}  // namespace detail

// Waits for `work` unless `trouble` ends first, which it does with an error only: that error is
// then the answer, the work is cancelled, and what it came to is dropped.
template <class T>
async<T> unless(async<void> trouble, async<T> work) {
    std::optional<result<T>> outcome;
    auto stored = detail::keep<T>(std::move(work), outcome);
    const auto end = co_await detail::race(std::move(stored), std::move(trouble));
    const auto& threw = end.work_first ? end.work_threw : end.rival_threw;
    if (threw) std::rethrow_exception(threw);
    if (end.work_first) co_return std::move(*outcome);
    MUSTER_ASSERT(!end.rival);
    co_return fail(end.rival.error());
}

}  // namespace muster

#pragma once

#include "ports/async.h"
#include "ports/clock.h"
#include "ports/race.h"

#include <exception>
#include <optional>
#include <utility>

namespace muster {

// Cancels `work` when `limit` passes first. (Asio's own cancel_after came only after Boost 1.81.)
//
// A value that `work` came to in spite of the cancellation is handed on, not dropped: it may be
// one that never comes again, such as the next event of a watch.
template <class T>
async<T> within(muster::clock& clock, monotonic::duration limit, async<T> work) {
    std::optional<result<T>> outcome;
    auto stored = detail::keep<T>(std::move(work), outcome);
    const auto end = co_await detail::race(std::move(stored), clock.sleep_for(limit));
    if (end.work_first && end.work_threw) std::rethrow_exception(end.work_threw);
    if (outcome && (end.work_first || *outcome)) co_return std::move(*outcome);
    if (end.rival_threw || !end.rival) co_return fail(errc::cancelled, "gave up waiting");
    co_return fail(errc::timed_out, "deadline passed");
}

}  // namespace muster

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
// Returns a value that `work` produces in spite of the cancellation: it may not be available again,
// such as the next event of a watch.
template <class T>
async<T> within(muster::clock& clock, monotonic::duration limit, async<T> work) {
    std::optional<result<T>> outcome;
    auto task = detail::store_outcome<T>(std::move(work), outcome);
    const auto race = co_await detail::race(std::move(task), clock.sleep_for(limit));
    if (race.work_first && race.work_exception) std::rethrow_exception(race.work_exception);
    if (outcome && (race.work_first || *outcome)) co_return std::move(*outcome);
    if (race.rival_exception || !race.rival_result)
        co_return fail(errc::cancelled, "wait cancelled");
    co_return fail(errc::timed_out, "deadline exceeded");
}

}  // namespace muster

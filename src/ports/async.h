#pragma once

#include "base/result.h"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace muster {

// What every port method returns: something to co_await, ending in a value or an error.
//
// Only asio::awaitable itself is used, no io_context: the simulator runs the same coroutines on an
// executor of its own with virtual time.
template <class T>
using async = boost::asio::awaitable<result<T>>;

template <class T>
using completion = std::function<void(result<T>)>;

namespace detail {

// The wait itself knows no type: it is compiled once, whatever is waited for. True if it was rung,
// false if the wait was cancelled first.
using ring = std::function<void()>;
boost::asio::awaitable<bool> rung(std::move_only_function<void(ring)> start);

// Where a completion leaves its outcome; only the first one does.
template <class T>
struct completion_box {
    std::atomic<bool> used = false;
    std::optional<result<T>> outcome;
};

}  // namespace detail

// Turns a callback into something to await. `start` is called at once with a completion that may
// be called from any thread, once; the coroutine goes on on its own executor. Cancelling the wait
// ends it with errc::cancelled; the work itself goes on and its outcome is dropped.
template <class T>
async<T> completed(std::move_only_function<void(completion<T>)> start) {
    const auto box = std::make_shared<detail::completion_box<T>>();
    auto start_ringing = [box, start = std::move(start)](detail::ring ring) mutable {
        start([box, ring = std::move(ring)](result<T> outcome) {
            if (box->used.exchange(true)) return;
            box->outcome.emplace(std::move(outcome));
            ring();
        });
    };
    const bool came = co_await detail::rung(std::move(start_ringing));
    if (!came) co_return fail(errc::cancelled, "gave up waiting");
    co_return std::move(*box->outcome);
}

}  // namespace muster

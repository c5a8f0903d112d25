#pragma once

#include "base/result.h"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace muster {

// The return type of every port method: an awaitable that ends in a value or an error.
//
// It uses asio::awaitable only, no io_context: the simulator runs the same coroutines on its own
// executor with virtual time.
template <class T>
using async = boost::asio::awaitable<result<T>>;

template <class T>
using completion = std::function<void(result<T>)>;

namespace detail {

// Ends the wait. May be called from any thread.
using resume = std::function<void()>;

// Waits until `resume` is called: true then, false if the wait was cancelled first. Without a type
// parameter, so that it is compiled only once.
boost::asio::awaitable<bool> wait_for_resume(std::move_only_function<void(resume)> start);

// Holds the outcome of the first completion; later ones are ignored.
template <class T>
struct completion_state {
    std::atomic<bool> completed = false;
    std::optional<result<T>> outcome;
};

}  // namespace detail

// Turns a callback into an awaitable. Calls `start` at once with a completion, which may be called
// once, from any thread. The coroutine continues on its own executor. Cancelling the wait ends it
// with errc::cancelled; the work itself continues and its outcome is discarded.
template <class T>
async<T> await_callback(std::move_only_function<void(completion<T>)> start) {
    const auto state = std::make_shared<detail::completion_state<T>>();
    auto start_work = [state, start = std::move(start)](detail::resume resume) mutable {
        start([state, resume = std::move(resume)](result<T> outcome) {
            if (state->completed.exchange(true)) return;
            state->outcome.emplace(std::move(outcome));
            resume();
        });
    };
    const bool resumed = co_await detail::wait_for_resume(std::move(start_work));
    if (!resumed) co_return fail(errc::cancelled, "wait cancelled");
    co_return std::move(*state->outcome);
}

}  // namespace muster

#pragma once

#include "base/result.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
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

// Whoever comes first, the completion or the cancellation, resumes the coroutine; the other is
// dropped.
template <class T, class Handler>
class pending_completion {
public:
    explicit pending_completion(Handler handler)
        : executor_(boost::asio::get_associated_executor(handler)),
          work_(boost::asio::make_work_guard(executor_)),
          handler_(std::move(handler)) {}

    void finish(result<T> outcome) {
        if (finished_.exchange(true)) return;
        boost::asio::post(
            executor_, [handler = std::move(handler_), outcome = std::move(outcome)]() mutable {
                std::move(handler)(std::move(outcome));
            });
        // Only now: until then the loop cannot end, and posting touches it to the last.
        work_.reset();
    }

private:
    using executor_type = boost::asio::associated_executor_t<Handler>;
    executor_type executor_;
    boost::asio::executor_work_guard<executor_type> work_;
    Handler handler_;
    std::atomic<bool> finished_ = false;
};

}  // namespace detail

// Turns a callback into something to await. `start` is called at once with a completion that may
// be called from any thread, once; the coroutine goes on on its own executor. Cancelling the wait
// ends it with errc::cancelled; the work itself goes on and its outcome is dropped.
template <class T, class Start>
async<T> completed(Start start) {
    co_return co_await boost::asio::
        async_initiate<const boost::asio::use_awaitable_t<>&, void(result<T>)>(
            [](auto handler, Start start_work) {
                using handler_type = decltype(handler);
                auto slot = boost::asio::get_associated_cancellation_slot(handler);
                const auto pending = std::make_shared<detail::pending_completion<T, handler_type>>(
                    std::move(handler));
                if (slot.is_connected()) {
                    slot.assign([weak = std::weak_ptr(pending)](boost::asio::cancellation_type) {
                        if (const auto waiting = weak.lock())
                            waiting->finish(fail(errc::cancelled, "gave up waiting"));
                    });
                }
                start_work([pending](result<T> outcome) { pending->finish(std::move(outcome)); });
            },
            boost::asio::use_awaitable,
            std::move(start));
}

}  // namespace muster

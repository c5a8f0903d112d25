#include "ports/async.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muster::detail {
namespace {

namespace asio = boost::asio;

// Whoever comes first, the ring or the cancellation, resumes the coroutine; the other is dropped.
template <class Handler>
class sleeper {
public:
    explicit sleeper(Handler handler)
        : executor_(asio::get_associated_executor(handler)),
          work_(asio::make_work_guard(executor_)),
          handler_(std::move(handler)) {}

    void wake(bool rung) {
        if (awake_.exchange(true)) return;
        asio::post(executor_, [handler = std::move(handler_), rung]() mutable {
            std::move(handler)(rung);
        });
        // Only now: until then the loop cannot end, and posting touches it to the last.
        work_.reset();
    }

private:
    using executor_type = asio::associated_executor_t<Handler>;
    executor_type executor_;
    asio::executor_work_guard<executor_type> work_;
    Handler handler_;
    std::atomic<bool> awake_ = false;
};

}  // namespace

asio::awaitable<bool> rung(std::move_only_function<void(ring)> start) {
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(bool)>(
        [](auto handler, std::move_only_function<void(ring)> start_work) {
            auto slot = asio::get_associated_cancellation_slot(handler);
            const auto asleep = std::make_shared<sleeper<decltype(handler)>>(std::move(handler));
            if (slot.is_connected()) {
                slot.assign([weak = std::weak_ptr(asleep)](asio::cancellation_type) {
                    if (const auto waiting = weak.lock()) waiting->wake(false);
                });
            }
            start_work([asleep] { asleep->wake(true); });
        },
        asio::use_awaitable,
        std::move(start));
}

}  // namespace muster::detail

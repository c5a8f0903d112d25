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

// A suspended coroutine. The first of completion and cancellation resumes it; the other one has no
// effect.
template <class Handler>
class suspended_coroutine {
public:
    explicit suspended_coroutine(Handler handler)
        : executor_(asio::get_associated_executor(handler)),
          work_(asio::make_work_guard(executor_)),
          handler_(std::move(handler)) {}

    void resume(bool completed) {
        if (resumed_.exchange(true)) return;
        asio::post(executor_, [handler = std::move(handler_), completed]() mutable {
            std::move(handler)(completed);
        });
        // After the post, because the event loop may end as soon as there is no work guard.
        work_.reset();
    }

private:
    using executor_type = asio::associated_executor_t<Handler>;
    executor_type executor_;
    asio::executor_work_guard<executor_type> work_;
    Handler handler_;
    std::atomic<bool> resumed_ = false;
};

}  // namespace

asio::awaitable<bool> wait_for_resume(std::move_only_function<void(resume)> start) {
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(bool)>(
        [](auto handler, std::move_only_function<void(resume)> start_work) {
            auto slot = asio::get_associated_cancellation_slot(handler);
            const auto coroutine =
                std::make_shared<suspended_coroutine<decltype(handler)>>(std::move(handler));
            if (slot.is_connected()) {
                slot.assign([weak = std::weak_ptr(coroutine)](asio::cancellation_type) {
                    if (const auto suspended = weak.lock()) suspended->resume(false);
                });
            }
            start_work([coroutine] { coroutine->resume(true); });
        },
        asio::use_awaitable,
        std::move(start));
}

}  // namespace muster::detail

#include "services/cluster/bus_publisher.h"

#include <string>
#include <utility>

namespace muster::cluster {

void bus_publisher::publish(stream::message message) {
    {
        const std::lock_guard lock(mutex_);
        if (!queue_.try_push(std::move(message))) ++dropped_;
    }
    message_queued_.notify();
}

std::optional<stream::message> bus_publisher::pop() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return std::nullopt;
    return queue_.pop();
}

// Fails only when cancelled: a refused message is dropped.
async<void> bus_publisher::send(stream::message message) {
    const std::string subject = message.subject;
    const auto published = co_await bus_.publish(std::move(message));
    if (published) co_return result<void>();
    if (published.error().code() == errc::cancelled) co_return fail(published.error());
    ++dropped_;
    log_.debug(
        "bus publish failed; message dropped",
        {{"subject", subject}, {"error", to_string(published.error())}});
    co_return result<void>();
}

async<void> bus_publisher::flush() {
    while (auto message = pop()) {
        CO_CHECK_OK(co_await send(std::move(*message)));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> bus_publisher::run() {
    while (true) {
        if (!co_await flush()) co_return;
        if (!co_await message_queued_.wait()) co_return;
    }
}

}  // namespace muster::cluster

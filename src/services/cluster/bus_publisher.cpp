#include "services/cluster/bus_publisher.h"

#include <string>
#include <utility>

namespace muster::cluster {

void bus_publisher::publish(stream::message message) {
    {
        const std::lock_guard lock(guard_);
        if (!queue_.try_push(std::move(message))) ++dropped_;
    }
    message_queued_.notify();
}

std::optional<stream::message> bus_publisher::pop() {
    const std::lock_guard lock(guard_);
    if (queue_.empty()) return std::nullopt;
    return queue_.pop();
}

boost::asio::awaitable<void> bus_publisher::run() {
    while (true) {
        auto message = pop();
        if (!message) {
            const auto waited = co_await message_queued_.wait();
            if (!waited) co_return;
            continue;
        }
        const std::string subject = message->subject;
        const auto published = co_await bus_.publish(std::move(*message));
        if (published) continue;
        if (published.error().code() == errc::cancelled) co_return;
        ++dropped_;
        log_.debug(
            "the bus did not take a message",
            {{"subject", subject}, {"reason", to_string(published.error())}});
    }
}

}  // namespace muster::cluster

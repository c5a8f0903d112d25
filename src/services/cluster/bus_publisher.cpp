#include "services/cluster/bus_publisher.h"

#include <string>
#include <utility>

namespace muster::cluster {

void bus_publisher::announce(stream::message message) {
    {
        const std::lock_guard lock(guard_);
        if (!waiting_.try_push(std::move(message))) ++dropped_;
    }
    more_.ring();
}

std::optional<stream::message> bus_publisher::take() {
    const std::lock_guard lock(guard_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.pop();
}

boost::asio::awaitable<void> bus_publisher::run() {
    while (true) {
        auto next = take();
        if (!next) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const std::string subject = next->subject;
        const auto response = co_await doorbell_.publish(std::move(*next));
        if (response) continue;
        if (response.error().code() == errc::cancelled) co_return;
        ++dropped_;
        log_.debug(
            "the bus did not take a message",
            {{"subject", subject}, {"reason", to_string(response.error())}});
    }
}

}  // namespace muster::cluster

#include "services/cluster/announcer.h"

#include <string>
#include <utility>

namespace muster::cluster {

void announcer::announce(stream::message what) {
    {
        const std::lock_guard lock(guard_);
        if (!waiting_.try_push(std::move(what))) ++dropped_;
    }
    more_.ring();
}

std::optional<stream::message> announcer::take() {
    const std::lock_guard lock(guard_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.pop();
}

boost::asio::awaitable<void> announcer::run() {
    while (true) {
        auto next = take();
        if (!next) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const std::string subject = next->subject;
        const auto told = co_await doorbell_.publish(std::move(*next));
        if (told) continue;
        if (told.error().code() == errc::cancelled) co_return;
        ++dropped_;
        log_.debug(
            "the bus did not take a message",
            {{"subject", subject}, {"reason", to_string(told.error())}});
    }
}

}  // namespace muster::cluster

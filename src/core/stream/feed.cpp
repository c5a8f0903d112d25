#include "core/stream/feed.h"

namespace muster::stream {

namespace {

std::size_t size_bytes(const message& message) {
    return message.subject.size() + message.payload.size();
}

}  // namespace

void feed::push(message message) {
    bytes_ += size_bytes(message);
    waiting_.push_back(std::move(message));
    const auto exceeds_limits = [this] {
        return waiting_.size() > limits_.messages_max || bytes_ > limits_.bytes_max;
    };
    while (waiting_.size() > 1 && exceeds_limits()) {
        drop_oldest();
        ++missed_;
    }
}

std::optional<message> feed::pop() {
    if (waiting_.empty()) return std::nullopt;
    message oldest = std::move(waiting_.front());
    bytes_ -= size_bytes(oldest);
    waiting_.pop_front();
    return oldest;
}

void feed::drop_oldest() {
    bytes_ -= size_bytes(waiting_.front());
    waiting_.pop_front();
}

}  // namespace muster::stream

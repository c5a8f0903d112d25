#include "core/stream/feed.h"

namespace muster::stream {

namespace {

std::size_t cost(const message& message) {
    return message.subject.size() + message.payload.size();
}

}  // namespace

void feed::push(message message) {
    bytes_ += cost(message);
    waiting_.push_back(std::move(message));
    const auto too_much = [this] {
        return waiting_.size() > limits_.messages_max || bytes_ > limits_.bytes_max;
    };
    while (waiting_.size() > 1 && too_much()) {
        drop_oldest();
        ++missed_;
    }
}

std::optional<message> feed::pop() {
    if (waiting_.empty()) return std::nullopt;
    message oldest = std::move(waiting_.front());
    bytes_ -= cost(oldest);
    waiting_.pop_front();
    return oldest;
}

void feed::drop_oldest() {
    bytes_ -= cost(waiting_.front());
    waiting_.pop_front();
}

}  // namespace muster::stream

#include "core/stream/feed.h"

namespace muster::stream {

namespace {

std::size_t cost(const message& what) {
    return what.subject.size() + what.payload.size();
}

}  // namespace

void feed::push(message what) {
    bytes_ += cost(what);
    waiting_.push_back(std::move(what));
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

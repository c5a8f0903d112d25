#include "adapters/metastore/sqlite/inbox.h"

#include <string>
#include <utility>

namespace muster::metastore_sqlite {

void inbox::push(std::unique_ptr<request> request) {
    const auto refused = try_push(request);
    if (refused) {
        // Outside the lock: whoever is told may ask again at once.
        request->refuse(*refused);
    } else {
        changed_.notify_one();
    }
}

std::optional<error> inbox::try_push(std::unique_ptr<request>& request) {
    const std::lock_guard lock(mutex_);
    auto refused = refusal(request->bytes());
    if (refused) return refused;
    bytes_ += request->bytes();
    requests_.push_back(std::move(request));
    return std::nullopt;
}

std::optional<error> inbox::refusal(std::size_t bytes) {
    if (closed_) return error(errc::unavailable, "the metastore is closed");
    if (requests_.size() < limits_.requests_max && bytes_ + bytes <= limits_.bytes_max) return {};
    hits_.refused();
    return error(
        errc::unavailable,
        "the metastore is too busy: " + std::to_string(requests_.size()) + " requests of "
            + std::to_string(bytes_) + " bytes wait already");
}

void inbox::push_forgotten_watch(std::uint64_t watch) {
    const std::lock_guard lock(mutex_);
    if (!closed_) forgotten_watches_.push_back(watch);
    changed_.notify_one();
}

inbox::delivery inbox::take(std::optional<monotonic::duration> timeout) {
    std::unique_lock lock(mutex_);
    const auto something = [this] {
        return closed_ || !requests_.empty() || !forgotten_watches_.empty();
    };
    if (timeout) {
        changed_.wait_for(lock, *timeout, something);
    } else {
        changed_.wait(lock, something);
    }
    delivery delivery{
        .forgotten_watches = std::exchange(forgotten_watches_, {}), .closed = closed_};
    std::size_t bytes = 0;
    while (!requests_.empty() && delivery.requests.size() < limits_.group_requests_max) {
        bytes += requests_.front()->bytes();
        if (!delivery.requests.empty() && bytes > limits_.group_bytes_max) break;
        bytes_ -= requests_.front()->bytes();
        delivery.requests.push_back(std::move(requests_.front()));
        requests_.pop_front();
    }
    return delivery;
}

void inbox::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
}

}  // namespace muster::metastore_sqlite

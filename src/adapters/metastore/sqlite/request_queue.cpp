#include "adapters/metastore/sqlite/request_queue.h"

#include <string>
#include <utility>

namespace muster::metastore_sqlite {

void request_queue::push(std::unique_ptr<request> request) {
    const auto refusal = try_push(request);
    if (refusal) {
        // Outside the lock: the completion may push again.
        request->refuse(*refusal);
    } else {
        changed_.notify_one();
    }
}

std::optional<error> request_queue::try_push(std::unique_ptr<request>& request) {
    const std::lock_guard lock(mutex_);
    auto refusal = find_refusal(request->bytes());
    if (refusal) return refusal;
    bytes_ += request->bytes();
    requests_.push_back(std::move(request));
    return std::nullopt;
}

std::optional<error> request_queue::find_refusal(std::size_t bytes) {
    if (closed_) return error(errc::unavailable, "metastore is closed");
    if (requests_.size() < limits_.requests_max && bytes_ + bytes <= limits_.bytes_max) return {};
    hits_.add_refused();
    return error(
        errc::unavailable,
        "metastore queue is full: " + std::to_string(requests_.size()) + " requests of "
            + std::to_string(bytes_) + " bytes pending");
}

void request_queue::push_closed_watch(std::uint64_t watch) {
    const std::lock_guard lock(mutex_);
    if (!closed_) closed_watches_.push_back(watch);
    changed_.notify_one();
}

request_queue::popped_work request_queue::pop(std::optional<monotonic::duration> timeout) {
    std::unique_lock lock(mutex_);
    const auto has_work = [this] {
        return closed_ || !requests_.empty() || !closed_watches_.empty();
    };
    if (timeout) {
        changed_.wait_for(lock, *timeout, has_work);
    } else {
        changed_.wait(lock, has_work);
    }
    popped_work work{.closed_watches = std::exchange(closed_watches_, {}), .closed = closed_};
    std::size_t bytes = 0;
    while (!requests_.empty() && work.requests.size() < limits_.group_requests_max) {
        bytes += requests_.front()->bytes();
        if (!work.requests.empty() && bytes > limits_.group_bytes_max) break;
        bytes_ -= requests_.front()->bytes();
        work.requests.push_back(std::move(requests_.front()));
        requests_.pop_front();
    }
    return work;
}

void request_queue::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
}

}  // namespace muster::metastore_sqlite

#include "core/access/attempt_limiter.h"

#include "base/assert.h"

namespace muster::access {

attempt_limiter::attempt_limiter(limits bounds) : bounds_(bounds) {
    MUSTER_ASSERT(bounds.failures_max > 0);
    MUSTER_ASSERT(bounds.remembered_max > 0);
}

std::optional<monotonic::duration> attempt_limiter::wait_for(
    const std::string& user, instant now) const {
    const auto it = histories_.find(user);
    if (it == histories_.end()) return std::nullopt;
    const auto& failures = it->second.failures;
    if (failures.size() < bounds_.failures_max) return std::nullopt;
    // The next try is free when the oldest of the last failures_max has left the span.
    const auto free_at = failures.front() + bounds_.span;
    if (free_at <= now) return std::nullopt;
    return free_at - now;
}

void attempt_limiter::failed(const std::string& user, instant now) {
    auto& entry = histories_[user];
    entry.failures.push_back(now);
    if (entry.failures.size() > bounds_.failures_max) entry.failures.pop_front();
    entry.round = ++rounds_;
    order_.push_back({.user = user, .round = entry.round});
    forget_oldest();
}

void attempt_limiter::on_success(const std::string& user) {
    histories_.erase(user);
}

void attempt_limiter::forget_oldest() {
    const auto outdated = [this](const mark& oldest) {
        const auto it = histories_.find(oldest.user);
        return it == histories_.end() || it->second.round != oldest.round;
    };
    while (!order_.empty()) {
        if (outdated(order_.front())) {
            order_.pop_front();
        } else if (histories_.size() > bounds_.remembered_max) {
            histories_.erase(order_.front().user);
            order_.pop_front();
        } else {
            break;
        }
    }
    // A user that never fails again would keep all later marks alive.
    if (order_.size() <= 4 * bounds_.remembered_max) return;
    std::erase_if(order_, outdated);
}

}  // namespace muster::access

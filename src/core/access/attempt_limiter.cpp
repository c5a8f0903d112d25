#include "core/access/attempt_limiter.h"

#include "base/assert.h"

namespace muster::access {

attempt_limiter::attempt_limiter(limits bounds) : bounds_(bounds) {
    MUSTER_ASSERT(bounds.failures_max > 0);
    MUSTER_ASSERT(bounds.remembered_max > 0);
}

std::optional<monotonic::duration> attempt_limiter::wait_for(
    const std::string& who, instant now) const {
    const auto found = by_who_.find(who);
    if (found == by_who_.end()) return std::nullopt;
    const auto& failures = found->second.failures;
    if (failures.size() < bounds_.failures_max) return std::nullopt;
    // The next try is free when the oldest of the last failures_max has left the span.
    const auto free_at = failures.front() + bounds_.span;
    if (free_at <= now) return std::nullopt;
    return free_at - now;
}

void attempt_limiter::failed(const std::string& who, instant now) {
    auto& known = by_who_[who];
    known.failures.push_back(now);
    if (known.failures.size() > bounds_.failures_max) known.failures.pop_front();
    known.round = ++rounds_;
    order_.push_back({.who = who, .round = known.round});
    forget_oldest();
}

void attempt_limiter::succeeded(const std::string& who) {
    by_who_.erase(who);
}

void attempt_limiter::forget_oldest() {
    const auto outdated = [this](const mark& oldest) {
        const auto found = by_who_.find(oldest.who);
        return found == by_who_.end() || found->second.round != oldest.round;
    };
    while (!order_.empty()) {
        if (outdated(order_.front())) {
            order_.pop_front();
        } else if (by_who_.size() > bounds_.remembered_max) {
            by_who_.erase(order_.front().who);
            order_.pop_front();
        } else {
            break;
        }
    }
    // One that never fails again would keep all later marks alive behind it.
    if (order_.size() <= 4 * bounds_.remembered_max) return;
    std::erase_if(order_, outdated);
}

}  // namespace muster::access

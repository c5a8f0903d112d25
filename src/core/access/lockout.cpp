#include "core/access/lockout.h"

#include <algorithm>
#include <limits>

namespace muster::access {

failed_logins after_failure(
    const failed_logins& before, wall_time now, const lockout_limits& bounds) {
    if (before.count == 0 || now - before.last > bounds.forgotten_after)
        return {.count = 1, .last = now};
    const bool full = before.count == std::numeric_limits<std::uint32_t>::max();
    return {.count = full ? before.count : before.count + 1, .last = now};
}

std::optional<std::chrono::microseconds> locked_for(
    const failed_logins& failures, wall_time now, const lockout_limits& bounds) {
    if (failures.count < bounds.failures_max) return std::nullopt;
    auto lockout = std::min(bounds.first, bounds.longest);
    for (auto doublings = failures.count - bounds.failures_max;
         doublings > 0 && lockout < bounds.longest;
         --doublings)
        lockout = std::min(2 * lockout, bounds.longest);
    const std::chrono::microseconds remaining = failures.last + lockout - now;
    if (remaining <= std::chrono::microseconds::zero()) return std::nullopt;
    return std::min(remaining, std::chrono::microseconds(lockout));
}

std::optional<std::chrono::microseconds> unknown_user_lockouts::locked_for(
    const std::string& name, wall_time now) const {
    const auto it = failures_.find(name);
    if (it == failures_.end()) return std::nullopt;
    return access::locked_for(it->second, now, bounds_);
}

void unknown_user_lockouts::failed(const std::string& name, wall_time now) {
    auto& failures = failures_[name];
    by_time_.erase({failures.last, name});
    failures = after_failure(failures, now, bounds_);
    by_time_.emplace(failures.last, name);
    if (failures_.size() <= remembered_max) return;
    failures_.erase(by_time_.begin()->second);
    by_time_.erase(by_time_.begin());
}

}  // namespace muster::access

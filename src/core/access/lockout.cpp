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
    const failed_logins& row, wall_time now, const lockout_limits& bounds) {
    if (row.count < bounds.failures_max) return std::nullopt;
    auto span = std::min(bounds.first, bounds.longest);
    for (auto doubled = row.count - bounds.failures_max; doubled > 0 && span < bounds.longest;
         --doubled)
        span = std::min(2 * span, bounds.longest);
    const std::chrono::microseconds left = row.last + span - now;
    if (left <= std::chrono::microseconds::zero()) return std::nullopt;
    return std::min(left, std::chrono::microseconds(span));
}

std::optional<std::chrono::microseconds> strangers::locked_for(
    const std::string& name, wall_time now) const {
    const auto it = rows_.find(name);
    if (it == rows_.end()) return std::nullopt;
    return access::locked_for(it->second, now, bounds_);
}

void strangers::failed(const std::string& name, wall_time now) {
    auto& row = rows_[name];
    by_last_.erase({row.last, name});
    row = after_failure(row, now, bounds_);
    by_last_.emplace(row.last, name);
    if (rows_.size() <= remembered_max) return;
    rows_.erase(by_last_.begin()->second);
    by_last_.erase(by_last_.begin());
}

}  // namespace muster::access

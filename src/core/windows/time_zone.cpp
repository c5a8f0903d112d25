#include "core/windows/time_zone.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::windows {

std::shared_ptr<const time_zone> time_zone::utc() {
    static const auto zone =
        std::make_shared<const time_zone>("UTC", seconds(0), std::vector<time_zone::change>());
    return zone;
}

time_zone::time_zone(std::string name, seconds first_offset, std::vector<change> changes)
    : name_(std::move(name)), first_offset_(first_offset), changes_(std::move(changes)) {
    MUSTER_ASSERT(std::ranges::is_sorted(changes_, {}, &change::at));
}

seconds time_zone::offset_at(sys_seconds time) const {
    const auto next_change = std::ranges::upper_bound(changes_, time, {}, &change::at);
    return next_change == changes_.begin() ? first_offset_ : std::prev(next_change)->offset;
}

local_seconds time_zone::to_local(sys_seconds time) const {
    return local_seconds(time.time_since_epoch() + offset_at(time));
}

sys_seconds time_zone::to_utc(local_seconds local) const {
    const sys_seconds as_if_utc(local.time_since_epoch());
    // Offsets are shorter than a day and changes are further apart. So the offset a day earlier or
    // a day later applies; in a gap or an overlap the earlier one applies.
    const auto offset_before = offset_at(as_if_utc - std::chrono::days(1));
    const auto offset_after = offset_at(as_if_utc + std::chrono::days(1));
    const auto first = as_if_utc - offset_before;
    const auto second = as_if_utc - offset_after;
    const bool first_matches = to_local(first) == local;
    const bool second_matches = to_local(second) == local;
    if (first_matches && second_matches) return std::min(first, second);
    return second_matches ? second : first;
}

std::optional<sys_seconds> time_zone::to_second_utc(local_seconds local) const {
    const auto offset_after =
        offset_at(sys_seconds(local.time_since_epoch()) + std::chrono::days(1));
    const sys_seconds second(local.time_since_epoch() - offset_after);
    if (second == to_utc(local) || to_local(second) != local) return std::nullopt;
    return second;
}

}  // namespace muster::windows

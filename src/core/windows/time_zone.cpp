#include "core/windows/time_zone.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::windows {

std::shared_ptr<const time_zone> time_zone::utc() {
    static const auto only =
        std::make_shared<const time_zone>("UTC", seconds(0), std::vector<time_zone::change>());
    return only;
}

time_zone::time_zone(std::string name, seconds before, std::vector<change> changes)
    : name_(std::move(name)), before_(before), changes_(std::move(changes)) {
    MUSTER_ASSERT(std::ranges::is_sorted(changes_, {}, &change::at));
}

seconds time_zone::offset_at(sys_seconds when) const {
    const auto later = std::ranges::upper_bound(changes_, when, {}, &change::at);
    return later == changes_.begin() ? before_ : std::prev(later)->offset;
}

local_seconds time_zone::local_of(sys_seconds when) const {
    return local_seconds(when.time_since_epoch() + offset_at(when));
}

sys_seconds time_zone::utc_of(local_seconds local_seconds) const {
    const sys_seconds as_if_utc(local_seconds.time_since_epoch());
    // No offset reaches a day and changes are further apart, so the offset in force a day earlier
    // or the one a day later is the right one; in a gap and in an overlap it is the earlier one.
    const auto earlier = offset_at(as_if_utc - std::chrono::days(1));
    const auto later = offset_at(as_if_utc + std::chrono::days(1));
    const auto first = as_if_utc - earlier;
    const auto second = as_if_utc - later;
    const bool first_shown = local_of(first) == local_seconds;
    const bool second_shown = local_of(second) == local_seconds;
    if (first_shown && second_shown) return std::min(first, second);
    return second_shown ? second : first;
}

std::optional<sys_seconds> time_zone::second_utc_of(local_seconds local_seconds) const {
    const auto later =
        offset_at(sys_seconds(local_seconds.time_since_epoch()) + std::chrono::days(1));
    const sys_seconds second(local_seconds.time_since_epoch() - later);
    if (second == utc_of(local_seconds) || local_of(second) != local_seconds) return std::nullopt;
    return second;
}

}  // namespace muster::windows

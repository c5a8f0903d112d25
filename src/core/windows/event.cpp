#include "core/windows/event.h"

#include "core/windows/recurrence_walk.h"

#include <algorithm>

namespace muster::windows {
namespace {

constexpr auto any_offset = std::chrono::hours(26);

sys_seconds end_of(const event& what, sys_seconds begin) {
    if (what.lasts.days.count() == 0) return begin + what.lasts.time;
    const auto local = what.zone->local_of(begin) + what.lasts.days;
    return what.zone->utc_of(local) + what.lasts.time;
}

bool is_left_out(const event& what, sys_seconds begin) {
    if (what.left_out.contains(begin)) return true;
    if (what.days_left_out.empty()) return false;
    const auto day = std::chrono::floor<std::chrono::days>(what.zone->local_of(begin));
    return what.days_left_out.contains(day);
}

}  // namespace

seconds event::length_max() const {
    seconds longest = lasts.time + lasts.days + std::chrono::hours(2);  // clocks change
    for (const auto& each : added_spans) longest = std::max(longest, each.end - each.begin);
    return longest;
}

bool add_spans(
    const event& from, event::span within, std::size_t count_max, std::vector<event::span>& to) {
    if (from.cancelled) return true;
    const auto touches = [&](const event::span& each) {
        return each.begin < within.end && each.end > within.begin && each.end > each.begin;
    };
    const auto add = [&](sys_seconds begin) {
        const event::span made{.begin = begin, .end = end_of(from, begin)};
        if (touches(made) && !is_left_out(from, begin)) to.push_back(made);
        return to.size() <= count_max;
    };
    for (const auto each : from.added)
        if (!add(each)) return false;
    for (const auto& each : from.added_spans)
        if (touches(each) && !from.left_out.contains(each.begin)) to.push_back(each);
    if (to.size() > count_max) return false;
    if (!from.rule)
        return from.added.contains(from.zone->utc_of(from.start))
               || add(from.zone->utc_of(from.start));
    const local_seconds earliest(
        (within.begin - from.length_max() - any_offset).time_since_epoch());
    const local_seconds latest((within.end + any_offset).time_since_epoch());
    recurrence_walk walk(*from.rule, *from.zone, from.start, {.from = earliest, .to = latest});
    while (const auto each = walk.next()) {
        const auto begin = from.zone->utc_of(*each);
        if (!from.added.contains(begin) && !add(begin)) return false;
    }
    return true;
}

}  // namespace muster::windows

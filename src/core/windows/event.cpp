#include "core/windows/event.h"

#include "core/windows/recurrence_walk.h"

#include <algorithm>

namespace muster::windows {
namespace {

constexpr auto any_offset = std::chrono::hours(26);

sys_seconds end_of(const event& event, sys_seconds begin) {
    if (event.lasts.days.count() == 0) return begin + event.lasts.time;
    const auto local = event.zone->local_of(begin) + event.lasts.days;
    return event.zone->utc_of(local) + event.lasts.time;
}

bool is_left_out(const event& event, sys_seconds begin) {
    if (event.left_out.contains(begin)) return true;
    if (event.days_left_out.empty()) return false;
    const auto day = std::chrono::floor<std::chrono::days>(event.zone->local_of(begin));
    return event.days_left_out.contains(day);
}

}  // namespace

seconds event::length_max() const {
    seconds longest = lasts.time + lasts.days + std::chrono::hours(2);  // clocks change
    for (const auto& added_span : added_spans)
        longest = std::max(longest, added_span.end - added_span.begin);
    return longest;
}

bool add_spans(
    const event& from, event::span within, std::size_t count_max, std::vector<event::span>& to) {
    if (from.cancelled) return true;
    const auto touches = [&](const event::span& span) {
        return span.begin < within.end && span.end > within.begin && span.end > span.begin;
    };
    const auto add = [&](sys_seconds begin) {
        const event::span span{.begin = begin, .end = end_of(from, begin)};
        if (touches(span) && !is_left_out(from, begin)) to.push_back(span);
        return to.size() <= count_max;
    };
    for (const auto each : from.added)
        if (!add(each)) return false;
    for (const auto& added_span : from.added_spans)
        if (touches(added_span) && !from.left_out.contains(added_span.begin))
            to.push_back(added_span);
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

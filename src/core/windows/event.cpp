#include "core/windows/event.h"

#include "core/windows/recurrence_walk.h"

#include <algorithm>

namespace muster::windows {
namespace {

constexpr auto any_offset = std::chrono::hours(26);

sys_seconds span_end(const event& event, sys_seconds begin) {
    if (event.duration.days.count() == 0) return begin + event.duration.time;
    const auto local = event.zone->to_local(begin) + event.duration.days;
    return event.zone->to_utc(local) + event.duration.time;
}

bool is_excluded(const event& event, sys_seconds begin) {
    if (event.excluded_starts.contains(begin)) return true;
    if (event.excluded_days.empty()) return false;
    const auto day = std::chrono::floor<std::chrono::days>(event.zone->to_local(begin));
    return event.excluded_days.contains(day);
}

}  // namespace

seconds event::length_max() const {
    seconds longest =
        duration.time + duration.days + std::chrono::hours(2);  // the clocks may change
    for (const auto& extra_span : extra_spans)
        longest = std::max(longest, extra_span.end - extra_span.begin);
    return longest;
}

bool add_spans(
    const windows::event& event,
    event::span period,
    std::size_t count_max,
    std::vector<event::span>& spans) {
    if (event.cancelled) return true;
    const auto touches = [&](const event::span& span) {
        return span.begin < period.end && span.end > period.begin && span.end > span.begin;
    };
    const auto add = [&](sys_seconds begin) {
        const event::span span{.begin = begin, .end = span_end(event, begin)};
        if (touches(span) && !is_excluded(event, begin)) spans.push_back(span);
        return spans.size() <= count_max;
    };
    for (const auto start : event.extra_starts)
        if (!add(start)) return false;
    for (const auto& extra_span : event.extra_spans)
        if (touches(extra_span) && !event.excluded_starts.contains(extra_span.begin))
            spans.push_back(extra_span);
    if (spans.size() > count_max) return false;
    if (!event.rule)
        return event.extra_starts.contains(event.zone->to_utc(event.start))
               || add(event.zone->to_utc(event.start));
    const local_seconds earliest(
        (period.begin - event.length_max() - any_offset).time_since_epoch());
    const local_seconds latest((period.end + any_offset).time_since_epoch());
    recurrence_walk walk(*event.rule, *event.zone, event.start, {.from = earliest, .to = latest});
    while (const auto start = walk.next()) {
        const auto begin = event.zone->to_utc(*start);
        if (!event.extra_starts.contains(begin) && !add(begin)) return false;
    }
    return true;
}

}  // namespace muster::windows

#include "core/windows/window_schedule.h"

#include <algorithm>
#include <utility>

namespace muster::windows {
namespace {

using std::chrono::days;

constexpr days first_stride{32};
constexpr days stride_max{730};

// Appends a span, or merges it with the last one if they touch. Spans come in order of `begin`.
void append_span(std::vector<event::span>& joined, const event::span& span) {
    const bool apart = joined.empty() || span.begin > joined.back().end
                       || span.begin - joined.back().begin >= window_schedule_limits::joined_max;
    if (apart) {
        joined.push_back(span);
    } else {
        joined.back().end = std::max(joined.back().end, span.end);
    }
}

window to_window(const event::span& span) {
    return {.opens = span.begin, .closes = span.end};
}

sys_seconds horizon() {
    return std::chrono::sys_days(std::chrono::year(horizon_year) / std::chrono::January / 1);
}

}  // namespace

window_schedule::window_schedule(std::vector<event> events)
    : events_(std::make_shared<const std::vector<event>>(std::move(events))) {}

const std::vector<event>& window_schedule::events() const {
    static const std::vector<event> none;
    return events_ == nullptr ? none : *events_;
}

result<window_schedule::spans> window_schedule::find_spans(event::span period) const {
    spans spans;
    for (const auto& event : *events_) {
        if (!add_spans(event, period, window_schedule_limits::spans_max, spans))
            return fail(
                errc::invalid,
                "calendar has more than 1000000 events in one period; use coarser recurrence "
                "rules");
    }
    std::ranges::sort(spans, {}, &event::span::begin);
    return spans;
}

// Extends `span` to the begin of its window, which may lie before the period searched.
result<void> window_schedule::join_earlier(event::span& span, sys_seconds not_before) const {
    seconds look_back(1);  // nothing touches the span in most cases
    while (span.begin > not_before) {
        const auto search_begin = span.begin - look_back;
        TRY(auto earlier, find_spans({.begin = search_begin, .end = span.begin}));
        const auto old_begin = span.begin;
        std::ranges::sort(earlier, std::ranges::greater(), &event::span::end);
        for (const auto& neighbour : earlier) {
            if (neighbour.end < span.begin) break;
            span.begin = std::min(span.begin, neighbour.begin);
        }
        if (span.begin == old_begin || span.begin > search_begin) return {};
        look_back = first_stride;
    }
    return {};
}

result<std::vector<window>> window_schedule::windows_between(
    wall_time from, wall_time to, std::size_t count_max) const {
    std::vector<window> windows;
    if (empty() || to <= from || count_max == 0) return windows;
    count_max = std::min(count_max, window_schedule_limits::windows_max);
    const auto begin = std::chrono::floor<seconds>(from);
    const auto end = std::min(std::chrono::ceil<seconds>(to), horizon());
    const auto longest_end = end + window_schedule_limits::joined_max;
    spans joined;
    auto stride = std::clamp(std::chrono::ceil<days>(end - begin), days(1), first_stride);
    for (auto position = begin; position < longest_end;) {
        const auto step_end = std::min<sys_seconds>(position + stride, longest_end);
        TRY(const auto step_spans, find_spans({.begin = position, .end = step_end}));
        for (const auto& span : step_spans) append_span(joined, span);
        // The last span may continue in the next step, so it counts only when another follows.
        const bool complete = joined.empty() || joined.back().end < step_end;
        if (joined.size() > count_max || (step_end >= end && complete)) break;
        position = step_end;
        stride = std::min(stride * 4, stride_max);
    }
    if (!joined.empty()) {
        CHECK_OK(join_earlier(joined.front(), begin - window_schedule_limits::joined_max));
    }
    for (const auto& span : joined) {
        const auto window = to_window(span);
        if (window.opens < to && window.closes > from && windows.size() < count_max)
            windows.push_back(window);
    }
    return windows;
}

result<std::optional<window>> window_schedule::open_at(wall_time time) const {
    TRY(const auto windows, windows_between(time, time + std::chrono::microseconds(1), 1));
    if (windows.empty() || !windows.front().is_open(time)) return std::optional<window>();
    return std::optional(windows.front());
}

result<std::vector<window>> window_schedule::next(wall_time from, std::size_t count) const {
    return windows_between(from, from + window_schedule_limits::look_ahead, count);
}

}  // namespace muster::windows

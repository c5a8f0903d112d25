#include "core/windows/timetable.h"

#include <algorithm>
#include <utility>

namespace muster::windows {
namespace {

using std::chrono::days;

constexpr days first_stride{32};
constexpr days stride_max{730};

// Adds spans that come in order of their beginnings; what touches the last one becomes part of it.
void join(std::vector<event::span>& joined, const event::span& next) {
    const bool apart = joined.empty() || next.begin > joined.back().end
                       || next.begin - joined.back().begin >= timetable_limits::joined_max;
    if (apart) {
        joined.push_back(next);
    } else {
        joined.back().end = std::max(joined.back().end, next.end);
    }
}

window as_window(const event::span& from) {
    return {.opens = from.begin, .closes = from.end};
}

sys_seconds horizon() {
    return std::chrono::sys_days(std::chrono::year(horizon_year) / std::chrono::January / 1);
}

}  // namespace

timetable::timetable(std::vector<event> events)
    : events_(std::make_shared<const std::vector<event>>(std::move(events))) {}

const std::vector<event>& timetable::events() const {
    static const std::vector<event> none;
    return events_ == nullptr ? none : *events_;
}

result<timetable::spans> timetable::touching(event::span within) const {
    spans spans;
    for (const auto& each : *events_) {
        if (!add_spans(each, within, timetable_limits::spans_max, spans))
            return fail(
                errc::invalid,
                "the calendar has more than a million events in one stretch; make its rules "
                "coarser");
    }
    std::ranges::sort(spans, {}, &event::span::begin);
    return spans;
}

// A window that was open before the question began is told whole.
result<void> timetable::join_earlier(event::span& first, sys_seconds not_before) const {
    seconds look_back(1);  // nearly always nothing touches it
    while (first.begin > not_before) {
        const auto from = first.begin - look_back;
        TRY(auto match, touching({.begin = from, .end = first.begin}));
        const auto before = first.begin;
        std::ranges::sort(match, std::ranges::greater(), &event::span::end);
        for (const auto& each : match) {
            if (each.end < first.begin) break;
            first.begin = std::min(first.begin, each.begin);
        }
        if (first.begin == before || first.begin > from) return {};
        look_back = first_stride;
    }
    return {};
}

result<std::vector<window>> timetable::windows_between(
    wall_time from, wall_time to, std::size_t count_max) const {
    std::vector<window> response;
    if (never() || to <= from || count_max == 0) return response;
    count_max = std::min(count_max, timetable_limits::windows_max);
    const auto begin = std::chrono::floor<seconds>(from);
    const auto end = std::min(std::chrono::ceil<seconds>(to), horizon());
    const auto longest_end = end + timetable_limits::joined_max;
    spans joined;
    auto stride = std::clamp(std::chrono::ceil<days>(end - begin), days(1), first_stride);
    for (auto at = begin; at < longest_end;) {
        const auto upto = std::min<sys_seconds>(at + stride, longest_end);
        TRY(const auto match, touching({.begin = at, .end = upto}));
        for (const auto& each : match) join(joined, each);
        // The last one may go on in the next stretch, so it counts only when another follows.
        const bool settled = joined.empty() || joined.back().end < upto;
        if (joined.size() > count_max || (upto >= end && settled)) break;
        at = upto;
        stride = std::min(stride * 4, stride_max);
    }
    if (!joined.empty()) {
        CHECK_OK(join_earlier(joined.front(), begin - timetable_limits::joined_max));
    }
    for (const auto& each : joined) {
        const auto result = as_window(each);
        if (result.opens < to && result.closes > from && response.size() < count_max)
            response.push_back(result);
    }
    return response;
}

result<std::optional<window>> timetable::open_at(wall_time when) const {
    TRY(const auto match, windows_between(when, when + std::chrono::microseconds(1), 1));
    if (match.empty() || !match.front().is_open(when)) return std::optional<window>();
    return std::optional(match.front());
}

result<std::vector<window>> timetable::next(wall_time after, std::size_t count) const {
    return windows_between(after, after + timetable_limits::look_ahead, count);
}

}  // namespace muster::windows

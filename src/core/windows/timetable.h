#pragma once

#include "base/result.h"
#include "core/windows/event.h"
#include "core/windows/window.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace muster::windows {

struct timetable_limits {
    static constexpr std::size_t windows_max = 10'000;   // of one answer
    static constexpr std::size_t spans_max = 1'000'000;  // looked at for one answer
    static constexpr std::chrono::days look_ahead{3'660};
    // Events that follow each other without a gap are one window, up to this long; a calendar that
    // is always open has windows of this length.
    static constexpr std::chrono::days joined_max{100};
};

// When a maintenance schedule allows changes. Events that overlap or touch are one window. One
// without events has no windows, so nothing that needs one ever starts. Immutable, cheap
// to copy, and safe to ask from many threads.
//
// Every answer is bounded; errc::invalid when the calendar is too dense for it.
class timetable {
public:
    timetable() = default;  // no windows
    explicit timetable(std::vector<event> events);

    const std::vector<event>& events() const;
    bool never() const { return events_ == nullptr || events_->empty(); }

    // Those that touch [from, to), whole, in order: the first `count_max`.
    result<std::vector<window>> windows_between(
        wall_time from, wall_time to, std::size_t count_max) const;

    result<std::optional<window>> open_at(wall_time when) const;

    // The first `count` that close after `after`: if one is open then, it is the first.
    result<std::vector<window>> next(wall_time after, std::size_t count) const;

private:
    using spans = std::vector<event::span>;

    result<spans> touching(event::span within) const;
    result<void> join_earlier(event::span& first, sys_seconds not_before) const;

    std::shared_ptr<const std::vector<event>> events_;
};

}  // namespace muster::windows

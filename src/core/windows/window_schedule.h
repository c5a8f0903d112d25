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

struct window_schedule_limits {
    static constexpr std::size_t windows_max = 10'000;   // in one result
    static constexpr std::size_t spans_max = 1'000'000;  // examined for one result
    static constexpr std::chrono::days look_ahead{3'660};
    // Events without a gap between them form one window up to this length. A calendar that is
    // always open has windows of this length.
    static constexpr std::chrono::days joined_max{100};
};

// The windows of a maintenance schedule. Events that overlap or touch form one window. A schedule
// without events has no windows, so work that needs a window never starts. Immutable, thread-safe
// and cheap to copy.
//
// Every result is bounded; errc::invalid when the calendar is too dense.
class window_schedule {
public:
    window_schedule() = default;  // no windows
    explicit window_schedule(std::vector<event> events);

    const std::vector<event>& events() const;
    bool empty() const { return events_ == nullptr || events_->empty(); }

    // The first `count_max` windows that touch [from, to), in order, not cut at its ends.
    result<std::vector<window>> windows_between(
        wall_time from, wall_time to, std::size_t count_max) const;

    result<std::optional<window>> open_at(wall_time time) const;

    // The first `count` windows that close after `from`; a window open at `from` comes first.
    result<std::vector<window>> next(wall_time from, std::size_t count) const;

private:
    using spans = std::vector<event::span>;

    result<spans> find_spans(event::span period) const;
    result<void> join_earlier(event::span& span, sys_seconds not_before) const;

    std::shared_ptr<const std::vector<event>> events_;
};

}  // namespace muster::windows

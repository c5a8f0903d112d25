#pragma once

#include "base/result.h"
#include "core/windows/window_schedule.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::windows {

// Decides what happens to planned starts when their calendar is replaced.

enum class strategy { nearest, previous, next, cancel, fail };

// "Nearest,Previous,Next,Cancel,Fail" in any order and case, each at most once.
result<std::vector<strategy>> parse_strategies(std::string_view text);
std::string_view to_string(strategy value);

struct planned_start {
    std::string job;
    wall_time at;

    friend bool operator==(const planned_start&, const planned_start&) = default;
};

struct kept {
    friend bool operator==(const kept&, const kept&) = default;
};
struct moved {
    wall_time start;
    windows::strategy strategy = windows::strategy::next;

    friend bool operator==(const moved&, const moved&) = default;
};
struct cancelled {
    friend bool operator==(const cancelled&, const cancelled&) = default;
};
struct replan_decision {
    planned_start plan;
    std::variant<kept, moved, cancelled> action;

    friend bool operator==(const replan_decision&, const replan_decision&) = default;
};

// A start within a window of the new calendar is kept. For other starts the strategies are tried in
// order; a move needs a window that is not closed at `now`. errc::conflict, naming the jobs, when a
// start reaches `fail` or the end of the list; then the caller must change nothing.
result<std::vector<replan_decision>> replan(
    std::span<const planned_start> plans,
    const window_schedule& schedule,
    std::span<const strategy> strategies,
    wall_time now);

// What to do with planned work of a system whose schedule changes: another schedule cancels the
// work, removal of the schedule keeps it.
enum class planned_work_action { keep, cancel };
planned_work_action on_schedule_change(
    const std::optional<std::string>& before, const std::optional<std::string>& after);

}  // namespace muster::windows

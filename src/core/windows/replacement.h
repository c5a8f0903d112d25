#pragma once

#include "base/result.h"
#include "core/windows/timetable.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::windows {

// What becomes of planned starts when the calendar behind them is replaced.

enum class strategy { nearest, previous, next, cancel, fail };

// "Nearest,Previous,Next,Cancel,Fail" in any order and case, each at most once.
result<std::vector<strategy>> parse_strategies(std::string_view text);
std::string_view to_string(strategy which);

struct planned_start {
    std::string job;
    wall_time at;

    friend bool operator==(const planned_start&, const planned_start&) = default;
};

struct kept {
    friend bool operator==(const kept&, const kept&) = default;
};
struct moved {
    wall_time to;
    strategy by = strategy::next;

    friend bool operator==(const moved&, const moved&) = default;
};
struct cancelled {
    friend bool operator==(const cancelled&, const cancelled&) = default;
};
struct replanned {
    planned_start plan;
    std::variant<kept, moved, cancelled> verdict;

    friend bool operator==(const replanned&, const replanned&) = default;
};

// A start that lies in a window of the new calendar is kept. For any other the strategies are tried
// in their order: a move needs such a window that has not closed by `now`. errc::conflict, naming
// the jobs, when one comes to `fail` or to the end of the list; then nothing is to be changed.
result<std::vector<replanned>> replan(
    std::span<const planned_start> plans,
    const timetable& by,
    std::span<const strategy> order,
    wall_time now);

// What becomes of a system's planned work that needs a window when its schedule changes:
// another schedule cancels it, losing the schedule keeps it.
enum class planned_work { stays, is_cancelled };
planned_work after_assignment(
    const std::optional<std::string>& before, const std::optional<std::string>& after);

}  // namespace muster::windows

#include "services/windows/window_admission.h"

#include <optional>
#include <variant>

namespace muster::windows {
namespace {

constexpr std::size_t windows_max = 2;

// Returns the open window in which the work may start.
std::optional<window> find_window(
    const window_schedule& schedule,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy) {
    const auto next_windows = schedule.next(now, windows_max);
    if (!next_windows) return std::nullopt;
    const auto decision =
        admit({.now = now, .next_windows = *next_windows, .expected = expected}, policy);
    const auto* const admitted = std::get_if<start>(&decision);
    return admitted == nullptr ? std::nullopt : admitted->window;
}

}  // namespace

fleet::system_set find_closed(
    const window_snapshot* snapshot,
    const fleet::system_set& systems,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy) {
    return check_windows(snapshot, systems, now, {.expected = expected}, policy).closed;
}

window_admission check_windows(
    const window_snapshot* snapshot,
    const fleet::system_set& systems,
    wall_time now,
    const expected_work& work,
    const admission_policy& policy) {
    if (snapshot == nullptr) return {.closed = systems, .latest_starts = {}};
    const bool ends_within = policy.rule == admission_policy::fit::finish_within;
    window_admission admission;
    for (const auto& [schedule, members] : snapshot->group_by_schedule(systems)) {
        if (schedule.empty()) continue;
        const auto window =
            find_window(snapshot->windows_of(schedule), now, work.expected + work.spare, policy);
        if (!window) {
            admission.closed |= members;
            continue;
        }
        const auto latest = ends_within ? window->closes - work.expected : window->closes;
        admission.latest_starts[latest] |= members;
    }
    return admission;
}

}  // namespace muster::windows

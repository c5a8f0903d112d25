#include "services/windows/window_admission.h"

#include <optional>
#include <variant>

namespace muster::windows {
namespace {

constexpr std::size_t windows_looked_at = 2;

// The window that is open for it, or nothing.
std::optional<window> room_for(
    const timetable& when,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy) {
    const auto coming = when.next(now, windows_looked_at);
    if (!coming) return std::nullopt;
    const auto answer = admit({.now = now, .coming = *coming, .expected = expected}, policy);
    const auto* const admitted = std::get_if<start>(&answer);
    return admitted == nullptr ? std::nullopt : admitted->within;
}

}  // namespace

fleet::system_set closed_now(
    const window_snapshot* view,
    const fleet::system_set& systems,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy) {
    return gate_now(view, systems, now, {.expected = expected}, policy).closed;
}

gate gate_now(
    const window_snapshot* view,
    const fleet::system_set& systems,
    wall_time now,
    const work_ahead& work_ahead,
    const admission_policy& policy) {
    if (view == nullptr) return {.closed = systems, .begin_by = {}};
    const bool ends_within = policy.rule == admission_policy::fit::finish_within;
    gate result;
    for (const auto& [schedule, members] : view->grouped(systems)) {
        if (schedule.empty()) continue;
        const auto open =
            room_for(view->when(schedule), now, work_ahead.expected + work_ahead.spare, policy);
        if (!open) {
            result.closed |= members;
            continue;
        }
        const auto latest = ends_within ? open->closes - work_ahead.expected : open->closes;
        result.begin_by[latest] |= members;
    }
    return result;
}

}  // namespace muster::windows

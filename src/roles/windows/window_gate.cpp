#include "roles/windows/window_gate.h"

#include <variant>

namespace muster::windows {
namespace {

constexpr std::size_t windows_looked_at = 2;

bool may_start(
    const timetable& when,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy) {
    const auto coming = when.next(now, windows_looked_at);
    if (!coming) return false;
    return std::holds_alternative<start>(
        admit({.now = now, .coming = *coming, .expected = expected}, policy));
}

}  // namespace

fleet::system_set closed_now(
    const window_view* view,
    const fleet::system_set& systems,
    wall_time now,
    std::chrono::seconds expected,
    const admission_policy& policy) {
    if (view == nullptr) return systems;
    fleet::system_set closed;
    for (const auto& [schedule, members] : view->grouped(systems)) {
        if (schedule.empty()) continue;
        if (!may_start(view->when(schedule), now, expected, policy)) closed |= members;
    }
    return closed;
}

}  // namespace muster::windows

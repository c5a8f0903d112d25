#include "core/windows/admission.h"

#include "base/iso_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::windows {
namespace {

using std::chrono::seconds;

constexpr std::size_t windows_offered = 3;

seconds length_of(const window& window, wall_time now) {
    return std::chrono::floor<seconds>(window.closes - std::max(window.opens, now));
}

bool fits(const window& window, const admission_request& request, const admission_policy& policy) {
    return policy.rule == admission_policy::fit::start_within
           || length_of(window, request.now) >= request.expected;
}

std::string with_refusal(std::string reason, const admission_request& request) {
    if (request.emergency)
        reason += "; starting outside a window is forbidden by policy (muster windows override)";
    return reason;
}

never no_window_fits(const admission_request& request) {
    if (request.next_windows.empty())
        return {with_refusal("the maintenance schedule has no windows", request)};
    seconds longest{0};
    for (const auto& window : request.next_windows)
        longest = std::max(longest, length_of(window, request.now));
    return {with_refusal(
        "expected duration " + to_text(request.expected) + " exceeds the longest of the next "
            + std::to_string(request.next_windows.size()) + " maintenance windows ("
            + to_text(longest) + ")",
        request)};
}

}  // namespace

seconds expected_duration(const measured_duration& history, const admission_policy& policy) {
    if (history.samples < policy.samples_min) return policy.presumed;
    const double margin = policy.deviations * static_cast<double>(history.deviation.count());
    return history.mean + seconds(static_cast<std::int64_t>(std::ceil(margin)));
}

admission admit(const admission_request& request, const admission_policy& policy) {
    const auto it = std::ranges::find_if(request.next_windows, [&](const window& candidate) {
        return fits(candidate, request, policy);
    });
    const bool open_now = it != request.next_windows.end() && it->is_open(request.now);
    if (open_now) return start{.window = *it};
    if (request.emergency && policy.emergency == admission_policy::override::allowed)
        return start{.window = std::nullopt};
    if (it == request.next_windows.end()) return no_window_fits(request);
    const bool too_late = request.next_windows.front().is_open(request.now);
    auto reason = too_late
                      ? "expected duration " + to_text(request.expected)
                            + " exceeds the rest of the open maintenance window ("
                            + to_text(length_of(request.next_windows.front(), request.now)) + ")"
                      : std::string("no maintenance window is open");
    reason += "; next window opens at " + to_text(it->opens);
    return wait{.until = it->opens, .reason = with_refusal(std::move(reason), request)};
}

result<void> check_planned_start(const window_schedule& schedule, wall_time planned) {
    TRY(const auto next_windows, schedule.next(planned, windows_offered));
    if (!next_windows.empty() && next_windows.front().is_open(planned)) return {};
    auto reason = to_text(planned) + " is outside all maintenance windows";
    if (next_windows.empty()) reason += "; the schedule has no later windows";
    for (std::size_t index = 0; index < next_windows.size(); ++index)
        reason +=
            (index == 0 ? "; next windows open at " : ", ") + to_text(next_windows[index].opens);
    return fail(errc::invalid, std::move(reason));
}

result<void> check_planned_start(const planned_group& group, wall_time planned) {
    const auto checked = check_planned_start(group.windows, planned);
    if (checked) return {};
    return fail(
        checked.error().code(),
        "`at`: " + checked.error().detail() + " (schedule \"" + group.name + "\" of "
            + std::to_string(group.systems)
            + " systems); omit `at` to start each system in its next window");
}

result<void> check_emergency(admission_policy::override policy) {
    if (policy == admission_policy::override::allowed) return {};
    return fail(
        errc::denied,
        "starting outside maintenance windows is forbidden by policy; change the policy with: "
        "muster windows override");
}

window_check check_window(
    const admission_request& request, const admission_policy& policy, const std::string& schedule) {
    if (request.next_windows.empty())
        return {.reason = "maintenance schedule \"" + schedule + "\" has no windows"};
    const auto decision = admit(request, policy);
    if (const auto* const waiting = std::get_if<wait>(&decision))
        return {.opens = waiting->until, .reason = waiting->reason};
    if (const auto* const rejected = std::get_if<never>(&decision))
        return {.reason = rejected->reason};
    return {};
}

std::string to_text(wall_time time) {
    return iso_time(time);
}

std::string to_text(seconds duration) {
    const auto count = duration.count();
    if (count < 60) return std::to_string(count) + " s";
    const auto hours = count / 3600;
    const auto minutes = count % 3600 / 60;
    if (hours == 0) return std::to_string(minutes) + " min";
    if (minutes == 0) return std::to_string(hours) + " h";
    return std::to_string(hours) + " h " + std::to_string(minutes) + " min";
}

}  // namespace muster::windows

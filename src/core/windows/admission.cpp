#include "core/windows/admission.h"

#include "base/iso_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::windows {
namespace {

using std::chrono::seconds;

constexpr std::size_t windows_offered = 3;

seconds length_of(const window& of, wall_time now) {
    return std::chrono::floor<seconds>(of.closes - std::max(of.opens, now));
}

bool fits(
    const window& into,
    const admission_request& admission_request,
    const admission_policy& policy) {
    return policy.rule == admission_policy::fit::start_within
           || length_of(into, admission_request.now) >= admission_request.expected;
}

std::string with_refusal(std::string why, const admission_request& admission_request) {
    if (admission_request.emergency) why += "; starting outside a window is disabled by policy";
    return why;
}

never no_window_fits(const admission_request& admission_request) {
    if (admission_request.coming.empty())
        return {with_refusal("its schedule has no windows", admission_request)};
    seconds longest{0};
    for (const auto& each : admission_request.coming)
        longest = std::max(longest, length_of(each, admission_request.now));
    return {with_refusal(
        "it is expected to take " + spoken(admission_request.expected)
            + ", and the longest of the next " + std::to_string(admission_request.coming.size())
            + " windows has " + spoken(longest),
        admission_request)};
}

}  // namespace

seconds expected_duration(const measured_duration& history, const admission_policy& policy) {
    if (history.samples < policy.samples_min) return policy.presumed;
    const double more = policy.deviations * static_cast<double>(history.deviation.count());
    return history.mean + seconds(static_cast<std::int64_t>(std::ceil(more)));
}

admission admit(const admission_request& admission_request, const admission_policy& policy) {
    const auto it = std::ranges::find_if(admission_request.coming, [&](const window& window) {
        return fits(window, admission_request, policy);
    });
    const bool now = it != admission_request.coming.end() && it->is_open(admission_request.now);
    if (now) return start{.within = *it};
    if (admission_request.emergency && policy.emergency == admission_policy::override::allowed)
        return start{.within = std::nullopt};
    if (it == admission_request.coming.end()) return no_window_fits(admission_request);
    const bool too_late = admission_request.coming.front().is_open(admission_request.now);
    auto why =
        too_late ? "it is expected to take " + spoken(admission_request.expected)
                       + ", and the window has "
                       + spoken(length_of(admission_request.coming.front(), admission_request.now))
                       + " left"
                 : std::string("no window is open");
    why += "; the next one opens at " + spoken(it->opens);
    return wait{.until = it->opens, .why = with_refusal(std::move(why), admission_request)};
}

result<void> check_planned_start(const timetable& when, wall_time planned) {
    TRY(const auto coming, when.next(planned, windows_offered));
    if (!coming.empty() && coming.front().is_open(planned)) return {};
    auto why = spoken(planned) + " is outside of every window";
    if (coming.empty()) why += ", and there are none to come";
    for (std::size_t each = 0; each < coming.size(); ++each)
        why += (each == 0 ? "; the next ones open at " : ", ") + spoken(coming[each].opens);
    return fail(errc::invalid, std::move(why));
}

result<void> check_planned_start(const planned_group& of, wall_time planned) {
    const auto well = check_planned_start(of.when, planned);
    if (well) return {};
    return fail(
        well.error().code(),
        "`at`: for " + std::to_string(of.systems) + " systems with the schedule " + of.schedule
            + ", " + well.error().detail()
            + "; without `at` each system starts in its next window");
}

result<void> check_emergency(admission_policy::override policy) {
    if (policy == admission_policy::override::allowed) return {};
    return fail(
        errc::denied,
        "starting outside of maintenance windows in an emergency is forbidden by policy; who may "
        "change that does it with: muster windows override");
}

window_answer answer_to(
    const admission_request& admission_request,
    const admission_policy& policy,
    const std::string& schedule) {
    if (admission_request.coming.empty())
        return {.why = "its maintenance schedule " + schedule + " has no window"};
    const auto message = admit(admission_request, policy);
    if (const auto* const later = std::get_if<wait>(&message))
        return {.opens = later->until, .why = later->why};
    if (const auto* const not_ever = std::get_if<never>(&message)) return {.why = not_ever->why};
    return {};
}

std::string spoken(wall_time when) {
    return iso_time(when);
}

std::string spoken(seconds span) {
    const auto count = span.count();
    if (count < 60) return std::to_string(count) + " s";
    const auto hours = count / 3600;
    const auto minutes = count % 3600 / 60;
    if (hours == 0) return std::to_string(minutes) + " min";
    if (minutes == 0) return std::to_string(hours) + " h";
    return std::to_string(hours) + " h " + std::to_string(minutes) + " min";
}

}  // namespace muster::windows

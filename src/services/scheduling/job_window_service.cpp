#include "services/scheduling/job_window_service.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::scheduling {

result<std::shared_ptr<const windows::window_snapshot>> job_window_service::current() const {
    auto view = windows_.current();
    if (!view) return fail(errc::unavailable, "the server is still reading the windows");
    return view;
}

async<std::optional<jobs::window_forecast>> job_window_service::foresee(jobs::job_plan job_plan) {
    if (!heeds_windows(job_plan.spec)) co_return std::nullopt;
    CO_TRY(const auto view, current());
    const auto now = clock_.wall();
    const auto first = jobs::forecast_start(job_plan.spec, now);
    std::vector<jobs::forecast_part> parts;
    for (const auto& [schedule, systems] : view->grouped(job_plan.who.targets)) {
        jobs::forecast_part part{.schedule = schedule, .systems = systems.size(), .coming = {}};
        if (!schedule.empty()) {
            CO_TRY(part.coming, view->when(schedule).next(first, windows::windows_foreseen));
        }
        parts.push_back(std::move(part));
    }
    const bool met =
        std::ranges::any_of(parts, [](const auto& part) { return !part.schedule.empty(); });
    jobs::duration_history::measured took;
    if (met) {
        CO_TRY(took, co_await durations_.measure(job_plan.spec));
    }
    co_return jobs::foresee(
        job_plan.spec,
        parts,
        {.expected = jobs::expected_of(took), .places = job_plan.places, .now = now});
}

result<fleet::system_set> job_window_service::with_schedule(const fleet::system_set& among) const {
    TRY(const auto view, current());
    fleet::system_set held;
    for (const auto& [schedule, systems] : view->grouped(among))
        if (!schedule.empty()) held |= systems;
    return held;
}

result<void> job_window_service::check_start(
    const job_spec& spec, const fleet::system_set& targets) const {
    if (!heeds_windows(spec) || !spec.not_before) return {};
    TRY(const auto view, current());
    for (const auto& [schedule, systems] : view->grouped(targets)) {
        if (schedule.empty()) continue;
        const auto when = view->when(schedule);
        CHECK_OK(windows::check_planned_start(
            {.schedule = schedule, .systems = systems.size(), .when = when}, *spec.not_before));
    }
    return {};
}

result<void> job_window_service::check_override(const job_spec& spec) const {
    using enum windows::admission_policy::override;
    if (spec.windows != job_spec::window_rule::override) return {};
    TRY(const auto view, current());
    return windows::check_emergency(view->policy.emergency_override ? allowed : disabled);
}

async<windows::window_answer> job_window_service::of(system_number system, job_spec work) {
    const auto view = current();
    if (!view) co_return windows::window_answer{.why = view.error().detail()};
    const auto schedule = (*view)->schedule_of(system);
    if (!schedule) co_return windows::window_answer();
    const auto now = clock_.wall();
    const auto coming = (*view)->when(*schedule).next(now, windows::windows_foreseen);
    if (!coming) co_return windows::window_answer{.why = coming.error().detail()};
    const auto policy = jobs::policy_of(work.windows);
    jobs::duration_history::measured took;
    if (!coming->empty()) {
        CO_TRY(took, co_await durations_.measure(std::move(work)));
    }
    co_return windows::answer_to(
        {.now = now, .coming = *coming, .expected = jobs::expected_of(took)}, policy, *schedule);
}

}  // namespace muster::scheduling

#include "services/scheduling/job_window_service.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::scheduling {

result<std::shared_ptr<const windows::window_snapshot>> job_window_service::current() const {
    auto snapshot = windows_.current();
    if (!snapshot)
        return fail(
            errc::unavailable, "the server is still loading the maintenance windows; retry later");
    return snapshot;
}

async<std::optional<jobs::window_forecast>> job_window_service::forecast(jobs::job_plan plan) {
    if (!respects_windows(plan.spec)) co_return std::nullopt;
    CO_TRY(const auto snapshot, current());
    const auto now = clock_.wall();
    const auto start = jobs::forecast_start(plan.spec, now);
    std::vector<jobs::forecast_part> parts;
    for (const auto& [schedule, systems] : snapshot->group_by_schedule(plan.targets.systems)) {
        jobs::forecast_part part{.schedule = schedule, .systems = systems.size(), .upcoming = {}};
        if (!schedule.empty()) {
            CO_TRY(
                part.upcoming,
                snapshot->windows_of(schedule).next(start, windows::forecast_windows_max));
        }
        parts.push_back(std::move(part));
    }
    const bool has_windows =
        std::ranges::any_of(parts, [](const auto& part) { return !part.schedule.empty(); });
    jobs::duration_history::statistics durations;
    if (has_windows) {
        CO_TRY(durations, co_await durations_.measure(plan.spec));
    }
    co_return jobs::forecast_windows(
        plan.spec,
        parts,
        {.expected = jobs::expected_duration(durations),
         .concurrency = plan.concurrency,
         .now = now});
}

result<fleet::system_set> job_window_service::find_scheduled(
    const fleet::system_set& systems) const {
    TRY(const auto snapshot, current());
    fleet::system_set scheduled;
    for (const auto& [schedule, members] : snapshot->group_by_schedule(systems))
        if (!schedule.empty()) scheduled |= members;
    return scheduled;
}

result<void> job_window_service::check_start(
    const job_spec& spec, const fleet::system_set& targets) const {
    if (!respects_windows(spec) || !spec.not_before) return {};
    TRY(const auto snapshot, current());
    for (const auto& [schedule, systems] : snapshot->group_by_schedule(targets)) {
        if (schedule.empty()) continue;
        const auto schedule_windows = snapshot->windows_of(schedule);
        CHECK_OK(windows::check_planned_start(
            {.name = schedule, .systems = systems.size(), .windows = schedule_windows},
            *spec.not_before));
    }
    return {};
}

result<void> job_window_service::check_override(const job_spec& spec) const {
    using enum windows::admission_policy::override;
    if (spec.windows != job_spec::window_rule::override) return {};
    TRY(const auto snapshot, current());
    return windows::check_emergency(snapshot->policy.emergency_override ? allowed : disabled);
}

async<windows::window_check> job_window_service::check_system(system_number system, job_spec work) {
    const auto snapshot = current();
    if (!snapshot) co_return windows::window_check{.reason = snapshot.error().detail()};
    auto schedule = (*snapshot)->schedule_of(system);
    if (!schedule) co_return windows::window_check();
    co_return co_await check_schedule(*snapshot, *std::move(schedule), std::move(work));
}

async<windows::window_check> job_window_service::check_schedule(
    std::shared_ptr<const windows::window_snapshot> snapshot, std::string schedule, job_spec work) {
    const auto now = clock_.wall();
    const auto next_windows =
        snapshot->windows_of(schedule).next(now, windows::forecast_windows_max);
    if (!next_windows) co_return windows::window_check{.reason = next_windows.error().detail()};
    const auto policy = jobs::policy_of(work.windows);
    jobs::duration_history::statistics durations;
    if (!next_windows->empty()) {
        CO_TRY(durations, co_await durations_.measure(std::move(work)));
    }
    co_return windows::check_window(
        {.now = now, .next_windows = *next_windows, .expected = jobs::expected_duration(durations)},
        policy,
        schedule);
}

async<std::vector<windows::window_wait>> job_window_service::find_waiting(
    job_spec work, fleet::system_set systems) {
    std::vector<windows::window_wait> waits;
    if (!respects_windows(work) || systems.empty()) co_return waits;
    CO_TRY(const auto snapshot, current());
    for (const auto& [schedule, members] : snapshot->group_by_schedule(systems)) {
        if (schedule.empty()) continue;
        CO_TRY(const auto check, co_await check_schedule(snapshot, schedule, work));
        if (!check.reason) continue;
        waits.push_back({.schedule = schedule, .systems = members.size(), .opens = check.opens});
    }
    co_return waits;
}

}  // namespace muster::scheduling

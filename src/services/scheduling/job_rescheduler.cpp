#include "services/scheduling/job_rescheduler.h"

#include "core/jobs/job_changes.h"

#include <algorithm>
#include <utility>

namespace muster::scheduling {

using jobs::planned_starts;
using windows::replaced_job;

job_rescheduler::open_jobs job_rescheduler::find_replannable() const {
    open_jobs jobs = deps_.open_jobs.all();
    std::vector<const job_record*> records;
    for (const auto& job : jobs) records.push_back(&job->record);
    const auto planned = jobs::find_planned(records, deps_.clock.wall());
    std::erase_if(jobs, [&](const auto& job) { return !planned.contains(job->record.job); });
    return jobs;
}

std::vector<windows::planned_start> job_rescheduler::planned(const std::string& schedule) const {
    std::vector<windows::planned_start> plans;
    const auto snapshot = deps_.windows.current();
    if (!snapshot) return plans;
    const auto systems = snapshot->systems_of(schedule);
    for (const auto& job : find_replannable())
        if (job->targets->systems.common_with(systems) > 0)
            plans.push_back(
                {.job = to_string(job->record.job), .at = *job->record.spec.not_before});
    return plans;
}

async<job_rescheduler::replaced_jobs> job_rescheduler::apply_decisions(
    windows::replanned_schedules decisions, std::string user) {
    replaced_jobs replaced;
    const auto snapshot = deps_.windows.current();
    if (!snapshot)
        co_return fail(
            errc::unavailable, "the server is still loading the maintenance windows; retry later");
    for (const auto& job : find_replannable()) {
        const auto name = to_string(job->record.job);
        auto starts = jobs::starts_of(job->record, *job->targets);
        bool changed = false;
        for (const auto& [schedule, schedule_decisions] : decisions) {
            const auto it = std::ranges::find(
                schedule_decisions, name, [](const auto& decision) -> const auto& {
                    return decision.plan.job;
                });
            if (it == schedule_decisions.end()) continue;
            const auto systems = job->targets->systems & snapshot->systems_of(schedule);
            if (jobs::apply_decision(*it, systems, starts)) changed = true;
        }
        if (!changed) continue;
        auto outcome = co_await replace(job, std::move(starts), "calendar replaced by " + user);
        if (!outcome) replaced.push_back({.job = name, .failure = outcome.error().detail()});
        if (outcome && *outcome) replaced.push_back(**std::move(outcome));
    }
    co_return replaced;
}

async<job_rescheduler::replaced_jobs> job_rescheduler::cancel(
    fleet::system_set systems, std::string user) {
    replaced_jobs replaced;
    for (const auto& job : find_replannable()) {
        if (job->targets->systems.common_with(systems) == 0) continue;
        planned_starts starts{{*job->record.spec.not_before, job->targets->systems - systems}};
        auto outcome = co_await replace(
            job, std::move(starts), "maintenance schedule of systems changed by " + user);
        if (!outcome)
            replaced.push_back(
                {.job = to_string(job->record.job), .failure = outcome.error().detail()});
        if (outcome && *outcome) replaced.push_back(**std::move(outcome));
    }
    co_return replaced;
}

async<std::optional<replaced_job>> job_rescheduler::replace(
    std::shared_ptr<const jobs::open_job> job, planned_starts starts, std::string reason) {
    using step = jobs::job_replacement::action_kind;
    const auto& record = job->record;
    auto replacement = jobs::plan_replacement(record, *job->targets, std::move(starts), reason);
    if (replacement.action == step::keep) co_return std::nullopt;
    replaced_job replaced{.job = to_string(record.job)};
    if (replacement.action == step::cancel) {
        const jobs::change_origin request{.user = "maintenance windows", .note = reason};
        const auto cancelled =
            co_await deps_.jobs.change(record.job, [request](job_record current) {
                return jobs::cancel(std::move(current), jobs::running_task_policy::finish, request);
            });
        if (!cancelled) co_return fail(cancelled.error());
        co_return replaced;
    }
    CO_TRY(
        const auto created,
        co_await deps_.jobs.create_replacements(std::move(replacement.replacements)));
    for (const auto& replacement_job : created)
        replaced.replacements.push_back(to_string(replacement_job.job));
    co_return replaced;
}

}  // namespace muster::scheduling

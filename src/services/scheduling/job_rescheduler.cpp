#include "services/scheduling/job_rescheduler.h"

#include "core/jobs/job_changes.h"

#include <algorithm>
#include <utility>

namespace muster::scheduling {

using jobs::planned_starts;
using windows::replaced_job;

job_rescheduler::open_jobs job_rescheduler::replannable_jobs() const {
    open_jobs all = deps_.open_jobs.all();
    std::vector<const job_record*> records;
    for (const auto& each : all) records.push_back(&each->record);
    const auto planned = jobs::planned_among(records, deps_.clock.wall());
    std::erase_if(all, [&](const auto& each) { return !planned.contains(each->record.job); });
    return all;
}

std::vector<windows::planned_start> job_rescheduler::planned(const std::string& schedule) const {
    std::vector<windows::planned_start> plans;
    const auto view = deps_.windows.current();
    if (!view) return plans;
    const auto systems = view->systems_of(schedule);
    for (const auto& replannable_job : replannable_jobs())
        if (replannable_job->who->targets.common_with(systems) > 0)
            plans.push_back(
                {.job = to_string(replannable_job->record.job),
                 .at = *replannable_job->record.spec.not_before});
    return plans;
}

async<job_rescheduler::replaced> job_rescheduler::carry_out(
    windows::replanned_schedules by, std::string user) {
    replaced all;
    const auto view = deps_.windows.current();
    if (!view) co_return fail(errc::unavailable, "the server is still reading the windows");
    for (const auto& replannable_job : replannable_jobs()) {
        const auto name = to_string(replannable_job->record.job);
        auto left = jobs::starts_of(replannable_job->record, *replannable_job->who);
        bool changed = false;
        for (const auto& [schedule, verdicts] : by) {
            const auto it = std::ranges::find(
                verdicts, name, [](const auto& one) -> const auto& { return one.plan.job; });
            if (it == verdicts.end()) continue;
            const auto systems = replannable_job->who->targets & view->systems_of(schedule);
            if (jobs::apply_verdict(*it, systems, left)) changed = true;
        }
        if (!changed) continue;
        auto one = co_await replace(
            replannable_job, std::move(left), "its calendar was replaced by " + user);
        if (!one) all.push_back({.job = name, .failed = one.error().detail()});
        if (one && *one) all.push_back(**std::move(one));
    }
    co_return all;
}

async<job_rescheduler::replaced> job_rescheduler::cancel(
    fleet::system_set systems, std::string user) {
    replaced all;
    for (const auto& replannable_job : replannable_jobs()) {
        if (replannable_job->who->targets.common_with(systems) == 0) continue;
        planned_starts left{
            {*replannable_job->record.spec.not_before, replannable_job->who->targets - systems}};
        auto one = co_await replace(
            replannable_job,
            std::move(left),
            "systems got another maintenance schedule by " + user);
        if (!one)
            all.push_back(
                {.job = to_string(replannable_job->record.job), .failed = one.error().detail()});
        if (one && *one) all.push_back(**std::move(one));
    }
    co_return all;
}

async<std::optional<replaced_job>> job_rescheduler::replace(
    std::shared_ptr<const jobs::open_job> job, planned_starts by, std::string reason) {
    using step = jobs::job_replacement::step;
    const auto& record = job->record;
    auto replacement = jobs::replacement_of(record, *job->who, std::move(by), reason);
    if (replacement.what == step::stays) co_return std::nullopt;
    replaced_job response{.job = to_string(record.job)};
    if (replacement.what == step::is_cancelled) {
        const jobs::order from{.by = "the windows", .note = reason};
        const auto cancelled = co_await deps_.jobs.change(record.job, [from](job_record now) {
            return jobs::cancel(std::move(now), jobs::running_tasks::finish, from);
        });
        if (!cancelled) co_return fail(cancelled.error());
        co_return response;
    }
    CO_TRY(const auto heirs, co_await deps_.jobs.make_heirs(std::move(replacement.heirs)));
    for (const auto& heir : heirs) response.by.push_back(to_string(heir.job));
    co_return response;
}

}  // namespace muster::scheduling

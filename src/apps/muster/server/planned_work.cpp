#include "apps/muster/server/planned_work.h"

#include "core/jobs/job_changes.h"

#include <algorithm>
#include <utility>

namespace muster::server {

using jobs::planned_starts;
using windows::replaced_job;

planned_work::open_jobs planned_work::replannable_jobs() const {
    open_jobs all = around_.book.all();
    std::vector<const job_record*> records;
    for (const auto& each : all) records.push_back(&each->record);
    const auto planned = jobs::planned_among(records, around_.time.wall());
    std::erase_if(all, [&](const auto& each) { return !planned.contains(each->record.job); });
    return all;
}

std::vector<windows::planned_start> planned_work::planned(const std::string& schedule) const {
    std::vector<windows::planned_start> plans;
    const auto view = around_.windows.current();
    if (!view) return plans;
    const auto systems = view->systems_of(schedule);
    for (const auto& each : replannable_jobs())
        if (each->who->targets.common_with(systems) > 0)
            plans.push_back(
                {.job = to_string(each->record.job), .at = *each->record.spec.not_before});
    return plans;
}

async<planned_work::replaced> planned_work::carry_out(
    windows::replanned_schedules by, std::string who) {
    replaced all;
    const auto view = around_.windows.current();
    if (!view) co_return fail(errc::unavailable, "the server is still reading the windows");
    for (const auto& each : replannable_jobs()) {
        const auto name = to_string(each->record.job);
        auto left = jobs::starts_of(each->record, *each->who);
        bool changed = false;
        for (const auto& [schedule, verdicts] : by) {
            const auto found = std::ranges::find(
                verdicts, name, [](const auto& one) -> const auto& { return one.plan.job; });
            if (found == verdicts.end()) continue;
            const auto systems = each->who->targets & view->systems_of(schedule);
            if (jobs::apply_verdict(*found, systems, left)) changed = true;
        }
        if (!changed) continue;
        auto one = co_await replace(each, std::move(left), "its calendar was replaced by " + who);
        if (!one) all.push_back({.job = name, .failed = one.error().detail()});
        if (one && *one) all.push_back(**std::move(one));
    }
    co_return all;
}

async<planned_work::replaced> planned_work::cancel(fleet::system_set systems, std::string who) {
    replaced all;
    for (const auto& each : replannable_jobs()) {
        if (each->who->targets.common_with(systems) == 0) continue;
        planned_starts left{{*each->record.spec.not_before, each->who->targets - systems}};
        auto one = co_await replace(
            each, std::move(left), "systems got another maintenance schedule by " + who);
        if (!one)
            all.push_back({.job = to_string(each->record.job), .failed = one.error().detail()});
        if (one && *one) all.push_back(**std::move(one));
    }
    co_return all;
}

async<std::optional<replaced_job>> planned_work::replace(
    std::shared_ptr<const jobs::open_job> job, planned_starts by, std::string reason) {
    using step = jobs::job_replacement::step;
    const auto& record = job->record;
    auto replacement = jobs::replacement_of(record, *job->who, std::move(by), reason);
    if (replacement.what == step::stays) co_return std::nullopt;
    replaced_job told{.job = to_string(record.job)};
    if (replacement.what == step::is_cancelled) {
        const jobs::order from{.by = "the windows", .note = reason};
        const auto cancelled = co_await around_.records.change(record.job, [from](job_record now) {
            return jobs::cancel(std::move(now), jobs::running_tasks::finish, from);
        });
        if (!cancelled) co_return fail(cancelled.error());
        co_return told;
    }
    CO_TRY(const auto made, co_await around_.records.make_heirs(std::move(replacement.heirs)));
    for (const auto& each : made) told.by.push_back(to_string(each.job));
    co_return told;
}

}  // namespace muster::server

#include "apps/muster/server/planned_work.h"

#include "core/jobs/job_changes.h"

#include <algorithm>
#include <utility>

namespace muster::server {
namespace {

using gateway::replaced_job;

constexpr auto held_back = "waits until the job it replaces is cancelled";

// What one schedule's verdict means for the systems that have it.
void apply(
    const windows::replanned& what,
    const fleet::system_set& systems,
    std::map<wall_time, fleet::system_set>& starts) {
    for (auto& [at, each] : starts) each -= systems;
    if (const auto* const moved = std::get_if<windows::moved>(&what.verdict))
        starts[moved->to] |= systems;
}

bool changes(const windows::replanned& what) {
    return !std::holds_alternative<windows::kept>(what.verdict);
}

}  // namespace

gateway::planned_work_hooks planned_work::hooks() {
    return {
        .planned = [this](const std::string& schedule) { return planned(schedule); },
        .carry_out = [this](
                         gateway::replanned_schedules by,
                         std::string who) { return carry_out(std::move(by), std::move(who)); },
        .cancel =
            [this](fleet::system_set systems, std::string who) {
                return cancel(std::move(systems), std::move(who));
            }};
}

bool planned_work::is_planned(const job_record& job) const {
    const bool stands = job.stage == job_stage::open || job.stage == job_stage::paused;
    return stands && job.spec.windows == job_spec::window_rule::respect && job.spec.not_before
           && *job.spec.not_before > around_.time.wall();
}

std::vector<windows::planned_start> planned_work::planned(const std::string& schedule) const {
    std::vector<windows::planned_start> plans;
    const auto view = around_.windows.current();
    if (!view) return plans;
    const auto systems = view->systems_of(schedule);
    for (const auto& each : around_.book.all())
        if (is_planned(each->record) && each->who->targets.common_with(systems) > 0)
            plans.push_back(
                {.job = to_string(each->record.job), .at = *each->record.spec.not_before});
    return plans;
}

async<planned_work::replaced> planned_work::carry_out(
    gateway::replanned_schedules by, std::string who) {
    replaced all;
    const auto view = around_.windows.current();
    if (!view) co_return fail(errc::unavailable, "the server is still reading the windows");
    for (const auto& each : around_.book.all()) {
        if (!is_planned(each->record)) continue;
        const auto name = to_string(each->record.job);
        starts left{{*each->record.spec.not_before, each->who->targets}};
        bool changed = false;
        for (const auto& [schedule, verdicts] : by) {
            const auto found = std::ranges::find(
                verdicts, name, [](const auto& one) -> const auto& { return one.plan.job; });
            if (found == verdicts.end() || !changes(*found)) continue;
            apply(*found, each->who->targets & view->systems_of(schedule), left);
            changed = true;
        }
        if (!changed) continue;
        CO_TRY(
            auto one,
            co_await replace(each, std::move(left), "its calendar was replaced by " + who));
        all.push_back(std::move(one));
    }
    co_return all;
}

async<planned_work::replaced> planned_work::cancel(fleet::system_set systems, std::string who) {
    replaced all;
    for (const auto& each : around_.book.all()) {
        if (!is_planned(each->record) || each->who->targets.common_with(systems) == 0) continue;
        starts left{{*each->record.spec.not_before, each->who->targets - systems}};
        CO_TRY(
            auto one,
            co_await replace(
                each, std::move(left), "systems got another maintenance schedule by " + who));
        all.push_back(std::move(one));
    }
    co_return all;
}

async<replaced_job> planned_work::replace(
    std::shared_ptr<const jobs::open_job> job, starts by, std::string reason) {
    replaced_job told{.job = to_string(job->record.job)};
    std::vector<job_id> parts;
    for (const auto& [at, systems] : by) {
        if (systems.empty()) continue;
        CO_TRY(const auto part, co_await make_part(job, at, systems));
        told.by.push_back(part);
        CO_TRY(const auto id, parse_job_id(part));
        parts.push_back(id);
    }
    const jobs::order from{
        .by = "the windows",
        .note = told.by.empty() ? reason : reason + "; it goes on as job " + told.by.front()};
    const auto cancelled =
        co_await around_.records.change(job->record.job, [from](job_record record) {
            return jobs::cancel(std::move(record), jobs::running_tasks::finish, from);
        });
    if (!cancelled) co_return fail(cancelled.error());
    const auto stage = job->record.stage;
    for (const auto part : parts) {
        const auto let_go =
            co_await around_.records.change(part, [stage](job_record record) -> result<job_record> {
                if (record.stage != job_stage::paused || record.reason != held_back) return record;
                record.stage = stage;
                record.reason.clear();
                return record;
            });
        if (!let_go) co_return fail(let_go.error());
    }
    co_return told;
}

async<std::string> planned_work::make_part(
    std::shared_ptr<const jobs::open_job> job, wall_time at, fleet::system_set systems) {
    auto record = job->record;
    record.spec.not_before = at;
    record.spec.note = "in place of job " + to_string(job->record.job)
                       + (record.spec.note.empty() ? "" : ": " + record.spec.note);
    record.stage = job_stage::paused;
    record.reason = held_back;
    record.targets = systems.size();
    record.version = 1;
    jobs::job_audience who{.targets = systems, .canaries = job->who->canaries & systems};
    if (who.canaries.empty() && record.phase == job_phase::canaries)
        record.phase = job_phase::everybody;
    const auto made = co_await around_.records.make(std::move(record), std::move(who));
    if (!made) co_return fail(made.error());
    co_return to_string(made->job);
}

}  // namespace muster::server

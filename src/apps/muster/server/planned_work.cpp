#include "apps/muster/server/planned_work.h"

#include "core/jobs/job_changes.h"
#include "core/rollout/plan.h"

#include <algorithm>
#include <utility>

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using gateway::replaced_job;
using jobs::planned_starts;

// A start that is nearer stays: there might not be the time to take it back everywhere.
constexpr auto lead = 60s;

// What one schedule's verdict means for the systems that have it.
void apply(
    const windows::replanned& what, const fleet::system_set& systems, planned_starts& starts) {
    for (auto& [at, each] : starts) each -= systems;
    if (const auto* const moved = std::get_if<windows::moved>(&what.verdict))
        starts[moved->to] |= systems;
}

bool changes(const windows::replanned& what) {
    return !std::holds_alternative<windows::kept>(what.verdict);
}

// Those of the old job as far as they are left, or others.
fleet::system_set canaries_of(
    const jobs::open_job& job, const fleet::system_set& systems, job_phase phase) {
    const auto& canary = job.record.spec.rollout.canary;
    if (!canary || phase == job_phase::everybody) return {};
    auto left = job.who->canaries & systems;
    if (!left.empty()) return left;
    const auto seed = static_cast<std::uint64_t>(job.record.job.value());
    return rollout::choose_canaries(systems, systems, of(*canary, systems.size()), prng(seed));
}

// What people wrote, behind whose place it takes.
std::string note_of(const job_record& old) {
    auto note = old.spec.note;
    const auto place_of = [](job_id job) {
        return "in place of job " + to_string(job);
    };
    if (old.spec.replaces && note.starts_with(place_of(*old.spec.replaces)))
        note.erase(0, std::min(note.size(), place_of(*old.spec.replaces).size() + 2));
    return place_of(old.job) + (note.empty() ? "" : ": " + note);
}

jobs::job_ledger::heir heir_of(
    const jobs::open_job& job,
    wall_time at,
    const fleet::system_set& systems,
    const std::string& reason) {
    auto record = job.record;
    record.spec.not_before = at;
    record.spec.note = note_of(job.record);
    record.spec.replaces = job.record.job;
    record.reason = reason;
    if (record.stage == job_stage::paused) record.reason += "; " + job.record.reason;
    record.version = 1;
    // What the old one does not wait for any more, the new one need not.
    const bool released = record.phase == job_phase::everybody;
    if (record.phase != job_phase::nobody) record.spec.parents.clear();
    if (released) record.spec.rollout.canary.reset();
    if (released) record.spec.rollout.canary_wait = {};
    record.phase = job_phase::nobody;
    return {
        .record = std::move(record),
        .who = {.targets = systems, .canaries = canaries_of(job, systems, job.record.phase)}};
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

// Without those that others are about to take the place of.
planned_work::open_jobs planned_work::planned_jobs() const {
    open_jobs all = around_.book.all();
    std::set<job_id> going;
    for (const auto& each : all)
        if (jobs::waits_to_succeed(each->record.spec)) going.insert(*each->record.spec.replaces);
    const auto from = around_.time.wall() + lead;
    std::erase_if(all, [&going, from](const auto& each) {
        const auto& job = each->record;
        const bool stands = job.stage == job_stage::open || job.stage == job_stage::paused;
        return !stands || !heeds_windows(job.spec) || !job.spec.not_before
               || *job.spec.not_before <= from || going.contains(job.job);
    });
    return all;
}

std::vector<windows::planned_start> planned_work::planned(const std::string& schedule) const {
    std::vector<windows::planned_start> plans;
    const auto view = around_.windows.current();
    if (!view) return plans;
    const auto systems = view->systems_of(schedule);
    for (const auto& each : planned_jobs())
        if (each->who->targets.common_with(systems) > 0)
            plans.push_back(
                {.job = to_string(each->record.job), .at = *each->record.spec.not_before});
    return plans;
}

async<planned_work::replaced> planned_work::carry_out(
    gateway::replanned_schedules by, std::string who) {
    replaced all;
    const auto view = around_.windows.current();
    if (!view) co_return fail(errc::unavailable, "the server is still reading the windows");
    for (const auto& each : planned_jobs()) {
        const auto name = to_string(each->record.job);
        planned_starts left{{*each->record.spec.not_before, each->who->targets}};
        bool changed = false;
        for (const auto& [schedule, verdicts] : by) {
            const auto found = std::ranges::find(
                verdicts, name, [](const auto& one) -> const auto& { return one.plan.job; });
            if (found == verdicts.end() || !changes(*found)) continue;
            apply(*found, each->who->targets & view->systems_of(schedule), left);
            changed = true;
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
    for (const auto& each : planned_jobs()) {
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
    const auto& record = job->record;
    std::erase_if(by, [](const auto& each) { return each.second.empty(); });
    if (jobs::stays_whole(record.spec.rollout) || by.size() > jobs::job_ledger::heirs_max)
        by = jobs::together(by);
    if (by == planned_starts{{*record.spec.not_before, job->who->targets}}) co_return std::nullopt;
    replaced_job told{.job = to_string(record.job)};
    if (by.empty()) {
        const jobs::order from{.by = "the windows", .note = reason};
        const auto cancelled = co_await around_.records.change(record.job, [from](job_record now) {
            return jobs::cancel(std::move(now), jobs::running_tasks::finish, from);
        });
        if (!cancelled) co_return fail(cancelled.error());
        co_return told;
    }
    std::vector<jobs::job_ledger::heir> heirs;
    for (const auto& [at, systems] : by) heirs.push_back(heir_of(*job, at, systems, reason));
    CO_TRY(const auto made, co_await around_.records.make_heirs(std::move(heirs)));
    for (const auto& each : made) told.by.push_back(to_string(each.job));
    co_return told;
}

}  // namespace muster::server

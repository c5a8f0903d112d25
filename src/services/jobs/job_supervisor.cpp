#include "services/jobs/job_supervisor.h"

#include "core/jobs/job_replacement.h"
#include "ports/deadline.h"
#include "services/jobs/canary_end.h"
#include "services/jobs/job_replacements.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {
namespace {

wall_time expiry_of(const job_record& job) {
    return job.spec.not_before.value_or(created_at(job.job))
           + std::chrono::duration_cast<wall_time::duration>(job.spec.expires_after);
}

job_phase phase_after_parents(const job_spec& spec) {
    return spec.rollout.canary ? job_phase::canaries : job_phase::all;
}

rollout::permission to_permission(const open_job& job) {
    switch (job.record.phase) {
        case job_phase::none:
            return rollout::start_none{};
        case job_phase::canaries:
            return rollout::canaries_only{job.targets->canaries};
        case job_phase::all:
            return rollout::start_all{};
    }
    return rollout::start_none{};
}

result<job_record> apply_decision(job_record job, const rollout::job_decision& decision) {
    if (is_final(job.stage)) return job;
    if (decision.kind == rollout::job_decision_kind::permit_all) {
        job.phase = job_phase::all;
        return job;
    }
    job.stage = decision.stage;
    job.reason = decision.reason;
    return job;
}

result<void> drop_value(const result<job_record>& job) {
    if (!job) return fail(job.error());
    return {};
}

}  // namespace

async<void> job_supervisor::record_decision(
    job_id id, rollout::job_decision decision, std::optional<task_counts> counts) {
    const auto job = co_await deps_.jobs.change(
        id,
        [&decision](job_record before) { return apply_decision(std::move(before), decision); },
        counts);
    if (!job) co_return fail(job.error());
    deps_.log.info(
        "job stage changed",
        {{"job", to_string(id)},
         {"stage", to_string(job->stage)},
         {"phase", to_string(job->phase)},
         {"reason", decision.reason}});
    co_return result<void>();
}

async<void> job_supervisor::check_parents(std::shared_ptr<const open_job> job) {
    CO_TRY(const auto parents, co_await find_successors(deps_.jobs, job->record.spec.parents));
    for (const auto& parent : parents) {
        if (!is_final(parent.stage)) co_return result<void>();
        CO_TRY(
            const auto states,
            co_await within(deps_.clock, options_.timeout, deps_.task_states.read(parent.job)));
        const auto counts = states->sets.counts(parent.stage);
        if (counts[task_state::completed] == parent.targets) continue;
        const auto blocked =
            "parent job " + to_string(parent.job) + " did not complete on all systems";
        co_return co_await record_decision(
            job->record.job, {rollout::job_decision_kind::halt, job_stage::halted, blocked}, {});
    }
    const auto phase = phase_after_parents(job->record.spec);
    const auto updated = co_await deps_.jobs.change(
        job->record.job, [phase](job_record before) -> result<job_record> {
            if (before.phase == job_phase::none) before.phase = phase;
            return before;
        });
    if (!updated) co_return fail(updated.error());
    co_return result<void>();
}

async<bool> job_supervisor::has_begun(job_id job, fleet::system_set systems) {
    CO_TRY(
        const auto states,
        co_await within(deps_.clock, options_.timeout, deps_.task_states.read(job)));
    for (const auto state : {task_state::picked_up, task_state::completed, task_state::failed})
        if (states->sets.members(state, job_stage::cancelled).common_with(systems) > 0)
            co_return true;
    co_return false;
}

// Each call changes at most one record. After a crash another server therefore continues from one
// of the states handled here.
async<void> job_supervisor::check_replacement(std::shared_ptr<const open_job> job) {
    const auto& replacement = job->record;
    const auto replaced_id = *replacement.spec.replaces;
    const auto stored = co_await deps_.jobs.find(replaced_id);
    if (!stored && stored.error().code() != errc::not_found) co_return fail(stored.error());
    const auto* const replaced = stored ? &stored->record : nullptr;
    replacement_facts facts{
        .safe_from =
            deps_.clock.wall() + std::chrono::duration_cast<wall_time::duration>(options_.grace)};
    auto step = next_step(replacement, replaced, facts);
    if (step.step == replacement_step::cancel_original) {
        CO_TRY(facts.complete, co_await has_all_siblings(deps_.jobs, replacement.spec));
        step = next_step(replacement, replaced, facts);
    }
    if (step.step == replacement_step::release) {
        CO_TRY(facts.original_begun, co_await has_begun(replaced->job, job->targets->systems));
        step = next_step(replacement, replaced, facts);
    }
    switch (step.step) {
        case replacement_step::wait:
            co_return result<void>();
        case replacement_step::cancel_original:
            co_return drop_value(co_await deps_.jobs.change(
                replaced_id, [&replacement, &facts](job_record current) -> result<job_record> {
                    const auto latest = next_step(replacement, &current, facts);
                    if (latest.step != replacement_step::cancel_original) return current;
                    return mark_replaced(std::move(current), replacement);
                }));
        case replacement_step::release:
            co_return drop_value(co_await deps_.jobs.change(
                replacement.job, [](job_record current) -> result<job_record> {
                    if (is_final(current.stage)) return current;
                    return release_replacement(std::move(current));
                }));
        case replacement_step::abandon:
            break;
    }
    jobs::task_counts counts;
    counts[task_state::cancelled] = replacement.targets;
    co_return co_await record_decision(
        replacement.job,
        {rollout::job_decision_kind::end, job_stage::cancelled, step.reason},
        counts);
}

// Reads the time once per job: a completed task does not change any more.
async<std::optional<wall_time>> job_supervisor::find_canaries_end(const open_job& job) {
    const auto it = canaries_ended_.find(job.record.job);
    if (it != canaries_ended_.end()) co_return std::optional(it->second);
    auto reading = read_canaries_end(deps_.jobs, job.record.job, job.targets->canaries);
    CO_TRY(const auto last, co_await within(deps_.clock, options_.timeout, std::move(reading)));
    if (last) canaries_ended_[job.record.job] = *last;
    co_return last;
}

async<void> job_supervisor::check_job(std::shared_ptr<const open_job> job) {
    const auto& record = job->record;
    if (waits_for_original(record.spec)) {
        CO_CHECK_OK(co_await check_replacement(job));
    } else if (
        record.phase == job_phase::none && record.stage == job_stage::open
        && !record.spec.parents.empty()) {
        CO_CHECK_OK(co_await check_parents(job));
    }
    CO_TRY(
        const auto states,
        co_await within(deps_.clock, options_.timeout, deps_.task_states.read(record.job)));
    const auto counts = states->sets.counts(record.stage);
    rollout::job_totals totals{
        .queued = counts[task_state::queued],
        .running = counts[task_state::picked_up],
        .completed = counts[task_state::completed],
        .failed = counts[task_state::failed],
        .exact = true};
    totals.canaries_completed = states->sets.members(task_state::completed, record.stage)
                                    .common_with(job->targets->canaries);
    if (record.phase == job_phase::canaries
        && record.spec.rollout.canary_wait > monotonic::duration::zero()
        && totals.canaries_completed == job->targets->canaries.size()) {
        CO_TRY(totals.canaries_ended, co_await find_canaries_end(*job));
    }
    const auto now = deps_.clock.wall();
    const bool expired =
        now >= expiry_of(record) + std::chrono::duration_cast<wall_time::duration>(options_.grace);
    const bool cancelled =
        record.stage == job_stage::cancelling
        && now >= record.changed + std::chrono::duration_cast<wall_time::duration>(options_.grace);
    if (expired || cancelled) totals.queued = 0;  // no node starts the remaining tasks
    const auto decision =
        rollout::decide(record, to_permission(*job), totals, {.expired = expired, .now = now});
    if (decision.kind == rollout::job_decision_kind::none) co_return result<void>();
    const bool ends = decision.kind == rollout::job_decision_kind::end;
    co_return co_await record_decision(
        record.job,
        decision,
        ends ? std::optional(states->sets.counts(decision.stage)) : std::nullopt);
}

async<void> job_supervisor::run_once() {
    std::erase_if(canaries_ended_, [this](const auto& entry) {
        const auto open = deps_.open_jobs.find(entry.first);
        return open == nullptr || open->record.phase != job_phase::canaries;
    });
    auto jobs = deps_.open_jobs.all();
    const auto first = std::ranges::upper_bound(
        jobs, failed_job_, {}, [](const auto& job) { return job->record.job; });
    std::ranges::rotate(jobs, first);
    for (const auto& job : jobs) {
        const auto checked = co_await check_job(job);
        if (checked) continue;
        if (checked.error().code() == errc::cancelled
            || checked.error().code() == errc::unavailable) {
            failed_job_ = job->record.job;
            co_return fail(checked.error());
        }
        deps_.log.warning(
            "job supervision failed",
            {{"job", to_string(job->record.job)}, {"error", to_string(checked.error())}});
    }
    co_return result<void>();
}

boost::asio::awaitable<void> job_supervisor::run(const std::atomic<bool>& active) {
    while (true) {
        if (active) {
            const auto checked = co_await run_once();
            if (!checked && checked.error().code() == errc::cancelled) co_return;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::jobs

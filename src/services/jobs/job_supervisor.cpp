#include "services/jobs/job_supervisor.h"

#include "core/jobs/job_replacement.h"
#include "ports/deadline.h"
#include "services/jobs/canary_end.h"
#include "services/jobs/job_replacements.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {
namespace {

wall_time ends_at(const job_record& job) {
    return job.spec.not_before.value_or(made_at(job.job))
           + std::chrono::duration_cast<wall_time::duration>(job.spec.expires_after);
}

job_phase phase_after_parents(const job_spec& spec) {
    return spec.rollout.canary ? job_phase::canaries : job_phase::everybody;
}

rollout::permission permission_of(const open_job& job) {
    switch (job.record.phase) {
        case job_phase::nobody:
            return rollout::nobody{};
        case job_phase::canaries:
            return rollout::canaries_only{job.who->canaries};
        case job_phase::everybody:
            return rollout::everybody{};
    }
    return rollout::nobody{};
}

result<job_record> carried_out(job_record job, const rollout::job_decision& job_decision) {
    if (is_end(job.stage)) return job;
    if (job_decision.what == rollout::job_decision_kind::permit_all) {
        job.phase = job_phase::everybody;
        return job;
    }
    job.stage = job_decision.stage;
    job.reason = job_decision.reason;
    return job;
}

result<void> outcome_of(const result<job_record>& changed) {
    if (!changed) return fail(changed.error());
    return {};
}

}  // namespace

async<void> job_supervisor::move_on(
    job_id job, rollout::job_decision job_decision, std::optional<task_counts> counts) {
    const auto done = co_await deps_.jobs.change(
        job,
        [&job_decision](job_record before) { return carried_out(std::move(before), job_decision); },
        counts);
    if (!done) co_return fail(done.error());
    deps_.log.info(
        "a job moves on",
        {{"job", to_string(job)},
         {"stage", to_string(done->stage)},
         {"phase", to_string(done->phase)},
         {"reason", job_decision.reason}});
    co_return result<void>();
}

async<void> job_supervisor::look_at_parents(std::shared_ptr<const open_job> job) {
    CO_TRY(const auto parents, co_await successors(deps_.jobs, job->record.spec.parents));
    for (const auto& parent : parents) {
        if (!is_end(parent.stage)) co_return result<void>();
        CO_TRY(
            const auto board,
            co_await within(deps_.clock, options_.timeout, deps_.task_states.read(parent.job)));
        const auto counts = board->sets.counts(parent.stage);
        if (counts[task_state::completed] == parent.targets) continue;
        const auto blocked =
            to_string(parent.job) + ", which it waits for, did not complete everywhere";
        co_return co_await move_on(
            job->record.job, {rollout::job_decision_kind::halt, job_stage::halted, blocked}, {});
    }
    const auto phase = phase_after_parents(job->record.spec);
    const auto done = co_await deps_.jobs.change(
        job->record.job, [phase](job_record before) -> result<job_record> {
            if (before.phase == job_phase::nobody) before.phase = phase;
            return before;
        });
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<bool> job_supervisor::has_begun(job_id job, fleet::system_set on) {
    CO_TRY(
        const auto board,
        co_await within(deps_.clock, options_.timeout, deps_.task_states.read(job)));
    for (const auto each : {task_state::picked_up, task_state::completed, task_state::failed})
        if (board->sets.members(each, job_stage::cancelled).common_with(on) > 0) co_return true;
    co_return false;
}

// Each look is at most one change of one record, so whoever goes on after a crash finds one of the
// states that are looked at here.
async<void> job_supervisor::check_replacement(std::shared_ptr<const open_job> job) {
    const auto& replacement_job = job->record;
    const auto old_id = *replacement_job.spec.replaces;
    const auto old = co_await deps_.jobs.find(old_id);
    if (!old && old.error().code() != errc::not_found) co_return fail(old.error());
    const auto* const before = old ? &old->record : nullptr;
    replacement_facts replacement_facts{
        .safe =
            deps_.clock.wall() + std::chrono::duration_cast<wall_time::duration>(options_.grace)};
    auto step = next_step(replacement_job, before, replacement_facts);
    if (step.what == replacement_step::take_over) {
        CO_TRY(replacement_facts.complete, co_await all_stand(deps_.jobs, replacement_job.spec));
        step = next_step(replacement_job, before, replacement_facts);
    }
    if (step.what == replacement_step::continue_chain) {
        CO_TRY(replacement_facts.begun, co_await has_begun(before->job, job->who->targets));
        step = next_step(replacement_job, before, replacement_facts);
    }
    switch (step.what) {
        case replacement_step::wait:
            co_return result<void>();
        case replacement_step::take_over:
            co_return outcome_of(co_await deps_.jobs.change(
                old_id,
                [&replacement_job, &replacement_facts](job_record stands) -> result<job_record> {
                    const auto now = next_step(replacement_job, &stands, replacement_facts);
                    if (now.what != replacement_step::take_over) return stands;
                    return taken_over(std::move(stands), replacement_job);
                }));
        case replacement_step::continue_chain:
            co_return outcome_of(co_await deps_.jobs.change(
                replacement_job.job, [](job_record stands) -> result<job_record> {
                    if (is_end(stands.stage)) return stands;
                    return let_go(std::move(stands));
                }));
        case replacement_step::give_up:
            break;
    }
    jobs::task_counts counts;
    counts[task_state::cancelled] = replacement_job.targets;
    co_return co_await move_on(
        replacement_job.job,
        {rollout::job_decision_kind::end, job_stage::cancelled, step.reason},
        counts);
}

// Read once: a completed task stays as it is.
async<std::optional<wall_time>> job_supervisor::canaries_end(const open_job& job) {
    const auto it = canaries_ended_.find(job.record.job);
    if (it != canaries_ended_.end()) co_return std::optional(it->second);
    auto reading = canaries_ended(deps_.jobs, job.record.job, job.who->canaries);
    CO_TRY(const auto last, co_await within(deps_.clock, options_.timeout, std::move(reading)));
    if (last) canaries_ended_[job.record.job] = *last;
    co_return last;
}

async<void> job_supervisor::look_at(std::shared_ptr<const open_job> job) {
    const auto& record = job->record;
    if (waits_to_succeed(record.spec)) {
        CO_CHECK_OK(co_await check_replacement(job));
    } else if (
        record.phase == job_phase::nobody && record.stage == job_stage::open
        && !record.spec.parents.empty()) {
        CO_CHECK_OK(co_await look_at_parents(job));
    }
    CO_TRY(
        const auto board,
        co_await within(deps_.clock, options_.timeout, deps_.task_states.read(record.job)));
    const auto counts = board->sets.counts(record.stage);
    rollout::job_totals sums{
        .queued = counts[task_state::queued],
        .running = counts[task_state::picked_up],
        .completed = counts[task_state::completed],
        .failed = counts[task_state::failed],
        .exact = true};
    sums.canaries_completed =
        board->sets.members(task_state::completed, record.stage).common_with(job->who->canaries);
    if (record.phase == job_phase::canaries
        && record.spec.rollout.canary_wait > monotonic::duration::zero()
        && sums.canaries_completed == job->who->canaries.size()) {
        CO_TRY(sums.canaries_ended, co_await canaries_end(*job));
    }
    const auto wall = deps_.clock.wall();
    const bool expired =
        wall >= ends_at(record) + std::chrono::duration_cast<wall_time::duration>(options_.grace);
    const bool cancelled =
        record.stage == job_stage::cancelling
        && wall >= record.changed + std::chrono::duration_cast<wall_time::duration>(options_.grace);
    if (expired || cancelled) sums.queued = 0;  // nobody starts what is left
    const auto verdict =
        rollout::decide(record, permission_of(*job), sums, {.expired = expired, .now = wall});
    if (verdict.what == rollout::job_decision_kind::carry_on) co_return result<void>();
    const bool ends = verdict.what == rollout::job_decision_kind::end;
    co_return co_await move_on(
        record.job,
        verdict,
        ends ? std::optional(board->sets.counts(verdict.stage)) : std::nullopt);
}

async<void> job_supervisor::look() {
    std::erase_if(canaries_ended_, [this](const auto& each) {
        const auto open = deps_.open_jobs.find(each.first);
        return open == nullptr || open->record.phase != job_phase::canaries;
    });
    auto all = deps_.open_jobs.all();
    const auto first = std::ranges::upper_bound(
        all, stopped_at_, {}, [](const auto& each) { return each->record.job; });
    std::ranges::rotate(all, first);
    for (const auto& each : all) {
        const auto looked = co_await look_at(each);
        if (looked) continue;
        if (looked.error().code() == errc::cancelled
            || looked.error().code() == errc::unavailable) {
            stopped_at_ = each->record.job;
            co_return fail(looked.error());
        }
        deps_.log.warning(
            "a job cannot be looked after",
            {{"job", to_string(each->record.job)}, {"reason", to_string(looked.error())}});
    }
    co_return result<void>();
}

boost::asio::awaitable<void> job_supervisor::run(const std::atomic<bool>& active) {
    while (true) {
        if (active) {
            const auto looked = co_await look();
            if (!looked && looked.error().code() == errc::cancelled) co_return;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::jobs

#include "roles/jobs/steward.h"

#include "ports/deadline.h"
#include "roles/jobs/canary_end.h"

#include <boost/json.hpp>

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

result<job_record> carried_out(job_record job, const rollout::judgement& what) {
    if (is_end(job.stage)) return job;
    if (what.what == rollout::verdict::permit_all) {
        job.phase = job_phase::everybody;
        return job;
    }
    job.stage = what.stage;
    job.reason = what.reason;
    return job;
}

}  // namespace

std::string counts_json(const task_counts& counts) {
    boost::json::object told;
    for (const auto each : all_task_states) {
        const auto name = to_string(each);
        told[boost::json::string_view(name.data(), name.size())] = counts[each];
    }
    return boost::json::serialize(told);
}

async<void> steward::move_on(job_id job, rollout::judgement what, std::string counts) {
    const auto done = co_await around_.records.change(
        job, [&what](job_record before) { return carried_out(std::move(before), what); }, counts);
    if (!done) co_return fail(done.error());
    around_.log.info(
        "a job moves on",
        {{"job", to_string(job)},
         {"stage", to_string(done->stage)},
         {"phase", to_string(done->phase)},
         {"reason", what.reason}});
    co_return result<void>();
}

async<void> steward::look_at_parents(std::shared_ptr<const open_job> job) {
    for (const auto parent : job->record.spec.parents) {
        CO_TRY(const auto stored, co_await around_.records.find(parent));
        if (!is_end(stored.record.stage)) co_return result<void>();
        CO_TRY(
            const auto board,
            co_await within(around_.time, how_.patience, around_.board.read(parent)));
        const auto counts = board->sets.counts(stored.record.stage);
        if (counts[task_state::completed] == stored.record.targets) continue;
        const auto blocked =
            to_string(parent) + ", which it waits for, did not complete everywhere";
        co_return co_await move_on(
            job->record.job, {rollout::verdict::halt, job_stage::halted, blocked}, {});
    }
    const auto phase = phase_after_parents(job->record.spec);
    const auto done = co_await around_.records.change(
        job->record.job, [phase](job_record before) -> result<job_record> {
            if (before.phase == job_phase::nobody) before.phase = phase;
            return before;
        });
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

// Read once: a completed task stays as it is.
async<std::optional<wall_time>> steward::canaries_end(const open_job& job) {
    const auto known = canaries_ended_.find(job.record.job);
    if (known != canaries_ended_.end()) co_return std::optional(known->second);
    auto reading = canaries_ended(around_.records, job.record.job, job.who->canaries);
    CO_TRY(const auto last, co_await within(around_.time, how_.patience, std::move(reading)));
    if (last) canaries_ended_[job.record.job] = *last;
    co_return last;
}

async<void> steward::look_at(std::shared_ptr<const open_job> job) {
    const auto& record = job->record;
    if (record.phase == job_phase::nobody && record.stage == job_stage::open
        && !record.spec.parents.empty()) {
        CO_CHECK_OK(co_await look_at_parents(job));
    }
    CO_TRY(
        const auto board,
        co_await within(around_.time, how_.patience, around_.board.read(record.job)));
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
    const auto wall = around_.time.wall();
    const bool expired =
        wall >= ends_at(record) + std::chrono::duration_cast<wall_time::duration>(how_.grace);
    const bool cancelled =
        record.stage == job_stage::cancelling
        && wall >= record.changed + std::chrono::duration_cast<wall_time::duration>(how_.grace);
    if (expired || cancelled) sums.queued = 0;  // nobody starts what is left
    const auto verdict =
        rollout::judge(record, permission_of(*job), sums, {.expired = expired, .now = wall});
    if (verdict.what == rollout::verdict::carry_on) co_return result<void>();
    const bool ends = verdict.what == rollout::verdict::end;
    co_return co_await move_on(
        record.job, verdict, ends ? counts_json(board->sets.counts(verdict.stage)) : std::string());
}

async<void> steward::look() {
    std::erase_if(canaries_ended_, [this](const auto& each) {
        const auto open = around_.book.find(each.first);
        return open == nullptr || open->record.phase != job_phase::canaries;
    });
    for (const auto& each : around_.book.all()) {
        const auto looked = co_await look_at(each);
        if (looked) continue;
        if (looked.error().code() == errc::cancelled || looked.error().code() == errc::unavailable)
            co_return fail(looked.error());
        around_.log.warning(
            "a job cannot be looked after",
            {{"job", to_string(each->record.job)}, {"reason", to_string(looked.error())}});
    }
    co_return result<void>();
}

boost::asio::awaitable<void> steward::run(std::function<bool()> active) {
    while (true) {
        if (active()) {
            const auto looked = co_await look();
            if (!looked && looked.error().code() == errc::cancelled) co_return;
        }
        const auto slept = co_await around_.time.sleep_for(how_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::jobs

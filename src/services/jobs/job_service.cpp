#include "services/jobs/job_service.h"

#include "core/jobs/window_rules.h"
#include "services/jobs/functions.h"

#include <utility>

namespace muster::jobs {
namespace {

constexpr int attempts_max = 16;

}  // namespace

result<job_service::plan> job_service::foresee(const new_job& new_job) const {
    auto checked = new_job.checked;
    if (!checked) {
        TRY(checked, check_spec(new_job.spec));
    }
    if (deps_.windows != nullptr) {
        CHECK_OK(deps_.windows->check_override(new_job.spec));
    }
    CHECK_OK(check_targets(
        new_job.targets.size(),
        new_job.spec.query,
        {.targets_max = options_.targets_max,
         .may_be_empty = new_job.nobody == empty_target::is_allowed}));
    const auto attached = attached_among(new_job.targets, deps_.presence);
    const auto seed = deps_.jobs.clock().wall().time_since_epoch().count();
    return plan_job(
        {.spec = new_job.spec,
         .work = *checked,
         .targets = new_job.targets,
         .attached = attached,
         .safe = options_.safe,
         .random = prng(static_cast<std::uint64_t>(seed))});
}

result<void> job_service::check_load() const {
    return check_open_jobs(
        deps_.open_jobs != nullptr ? deps_.open_jobs->load() : 0, options_.open_max);
}

async<job_service::created_job> job_service::make(new_job new_job) {
    CO_TRY(auto foreseen, foresee(new_job));
    for (const auto parent : foreseen.spec.parents) {
        CO_CHECK_OK(co_await deps_.jobs.find(parent));
    }
    auto job = job_of(std::move(foreseen));
    if (!new_job.claim) {
        CO_CHECK_OK(check_load());
        CO_TRY(auto result, co_await deps_.jobs.make(std::move(job.record), std::move(job.who)));
        co_return created_job{.record = std::move(result), .again = false};
    }
    if (new_job.claim->empty() || new_job.claim->size() > job_idempotency_store::key_bytes_max)
        co_return fail(errc::invalid, "an Idempotency-Key must have from 1 to 255 bytes");
    job_idempotency_store::request request{
        .user = job.record.spec.by, .key = *new_job.claim, .digest = new_job.digest};
    co_return co_await make_claimed(std::move(job), std::move(request));
}

async<job_service::created_job> job_service::make_claimed(
    job_with_targets job, job_idempotency_store::request request) {
    auto& record = job.record;
    CO_TRY(auto claimed, co_await claims_.take(request));
    if (const auto bearable = check_load(); !bearable) {
        // What was made before is told of all the same.
        const auto there = co_await deps_.jobs.find(claimed.job);
        if (there && same_request(there->record.spec, record.spec))
            co_return created_job{.record = there->record, .again = true};
        co_return fail(bearable.error());
    }
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        record.job = claimed.job;
        record.changed = made_at(record.job);
        CO_TRY(const bool result, co_await deps_.jobs.make_as(record, job.who));
        if (result) co_return created_job{.record = std::move(record), .again = !claimed.fresh};
        CO_TRY(const auto there, co_await deps_.jobs.find(claimed.job));
        // It is ours, made a moment or a day ago, or that of somebody who was in the same
        // microsecond; then the claim is for the next one.
        if (same_request(there.record.spec, record.spec))
            co_return created_job{.record = there.record, .again = true};
        CO_TRY(claimed, co_await claims_.take_next(request, claimed.job));
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<std::vector<job_record>> job_service::made_before(job_id first, job_spec like) const {
    std::vector<job_record> result;
    const auto there = co_await deps_.jobs.find(first);
    if (!there && there.error().code() == errc::not_found) co_return result;
    if (!there) co_return fail(there.error());
    if (!same_maker(there->record.spec, like)) co_return result;
    for (const auto sibling : there->record.spec.siblings) {
        auto one = co_await deps_.jobs.find(sibling);
        if (!one && one.error().code() == errc::not_found) continue;
        if (!one) co_return fail(one.error());
        if (same_maker(one->record.spec, like)) result.push_back(std::move(one->record));
    }
    co_return result;
}

async<bool> job_service::are_free(job_id first, std::size_t count) const {
    for (; count > 0; --count, first = first.next()) {
        const auto there = co_await deps_.jobs.find(first);
        if (there) co_return false;
        if (there.error().code() != errc::not_found) co_return fail(there.error());
    }
    co_return true;
}

async<std::vector<job_record>> job_service::make_together(
    std::vector<new_job> new_jobs, joint_claim claim) {
    if (new_jobs.empty() || new_jobs.size() > together_max)
        co_return fail(errc::invalid, "from 1 to 100 jobs are made together");
    std::vector<job_store::replacement_job> all;
    for (auto& each : new_jobs) {
        CO_TRY(auto foreseen, foresee(each));
        all.push_back(job_of(std::move(foreseen)));
    }
    const auto like = all.front().record.spec;
    const job_idempotency_store::request request{
        .user = like.by, .key = std::move(claim.key), .digest = std::move(claim.digest)};
    CO_TRY(auto claimed, co_await claims_.take(request));
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto before, co_await made_before(claimed.job, like));
        if (!before.empty()) co_return before;
        CO_CHECK_OK(check_load());
        CO_TRY(const bool free, co_await are_free(claimed.job, all.size()));
        if (free) {
            // What was written is read: by then another one may have come first.
            CO_CHECK_OK(co_await deps_.jobs.make_together(claimed.job, all));
        } else {
            CO_TRY(claimed, co_await claims_.take_next(request, claimed.job));
        }
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<job_record> job_service::pause(job_id job, order from) {
    co_return co_await deps_.jobs.change(
        job, [from](job_record record) { return jobs::pause(std::move(record), from); });
}

async<job_record> job_service::resume(job_id job, order from) {
    co_return co_await deps_.jobs.change(
        job, [from](job_record record) { return jobs::resume(std::move(record), from); });
}

async<job_record> job_service::cancel(job_id job, running_tasks running_tasks, order from) {
    co_return co_await deps_.jobs.change(job, [from, running_tasks](job_record record) {
        return jobs::cancel(std::move(record), running_tasks, from);
    });
}

async<job_record> job_service::release(job_id job, order from) {
    co_return co_await deps_.jobs.change(
        job, [from](job_record record) { return jobs::release(std::move(record), from); });
}

async<job_record> job_service::retry(job_id job, order from) {
    CO_TRY(const auto old, co_await deps_.jobs.find(job));
    CO_TRY(const auto state, co_await deps_.task_states.read(job));
    auto failed = state->sets.members(task_state::failed, old.record.stage);
    if (failed.empty())
        co_return fail(errc::conflict, "job " + to_string(job) + " failed on no system");
    new_job new_job{.spec = again(old.record, from), .targets = std::move(failed)};
    CO_TRY(const auto checked, check_spec(new_job.spec));
    new_job.spec.windows = windows_again(new_job.spec.windows, checked.changes_system());
    new_job.checked = checked;
    CO_TRY(auto result, co_await make(std::move(new_job)));
    co_return std::move(result.record);
}

}  // namespace muster::jobs

#include "services/jobs/job_desk.h"

#include "core/jobs/window_rules.h"
#include "services/jobs/functions.h"

#include <utility>

namespace muster::jobs {
namespace {

constexpr int attempts_max = 16;

}  // namespace

result<job_desk::plan> job_desk::foresee(const wanted_job& wanted) const {
    auto checked = wanted.checked;
    if (!checked) {
        TRY(checked, check_spec(wanted.spec));
    }
    if (around_.windows != nullptr) {
        CHECK_OK(around_.windows->check_override(wanted.spec));
    }
    CHECK_OK(check_targets(
        wanted.targets.size(),
        wanted.spec.query,
        {.targets_max = how_.targets_max,
         .may_be_empty = wanted.nobody == empty_target::is_allowed}));
    const auto attached = around_.attached(wanted.targets);
    const auto seed = around_.records.time().wall().time_since_epoch().count();
    return plan_job(
        {.spec = wanted.spec,
         .work = *checked,
         .targets = wanted.targets,
         .attached = attached,
         .safe = how_.safe,
         .random = prng(static_cast<std::uint64_t>(seed))});
}

result<void> job_desk::check_load() const {
    return check_open_jobs(around_.open_jobs ? around_.open_jobs() : 0, how_.open_max);
}

async<job_desk::made_job> job_desk::make(wanted_job wanted) {
    CO_TRY(auto foreseen, foresee(wanted));
    for (const auto each : foreseen.spec.parents) {
        CO_CHECK_OK(co_await around_.records.find(each));
    }
    auto job = job_of(std::move(foreseen));
    if (!wanted.claim) {
        CO_CHECK_OK(check_load());
        CO_TRY(auto made, co_await around_.records.make(std::move(job.record), std::move(job.who)));
        co_return made_job{.record = std::move(made), .again = false};
    }
    if (wanted.claim->empty() || wanted.claim->size() > job_claims::key_bytes_max)
        co_return fail(errc::invalid, "an Idempotency-Key must have from 1 to 255 bytes");
    job_claims::request request{
        .user = job.record.spec.by, .key = *wanted.claim, .digest = wanted.digest};
    co_return co_await make_claimed(std::move(job), std::move(request));
}

async<job_desk::made_job> job_desk::make_claimed(new_job wanted, job_claims::request request) {
    auto& record = wanted.record;
    CO_TRY(auto claimed, co_await claims_.take(request));
    if (const auto bearable = check_load(); !bearable) {
        // What was made before is told of all the same.
        const auto there = co_await around_.records.find(claimed.job);
        if (there && same_request(there->record.spec, record.spec))
            co_return made_job{.record = there->record, .again = true};
        co_return fail(bearable.error());
    }
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        record.job = claimed.job;
        record.changed = made_at(record.job);
        CO_TRY(const bool made, co_await around_.records.make_as(record, wanted.who));
        if (made) co_return made_job{.record = std::move(record), .again = !claimed.fresh};
        CO_TRY(const auto there, co_await around_.records.find(claimed.job));
        // It is ours, made a moment or a day ago, or that of somebody who was in the same
        // microsecond; then the claim is for the next one.
        if (same_request(there.record.spec, record.spec))
            co_return made_job{.record = there.record, .again = true};
        CO_TRY(claimed, co_await claims_.take_next(request, claimed.job));
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<std::vector<job_record>> job_desk::made_before(job_id first, job_spec like) const {
    std::vector<job_record> made;
    const auto there = co_await around_.records.find(first);
    if (!there && there.error().code() == errc::not_found) co_return made;
    if (!there) co_return fail(there.error());
    if (!same_maker(there->record.spec, like)) co_return made;
    for (const auto each : there->record.spec.siblings) {
        auto one = co_await around_.records.find(each);
        if (!one && one.error().code() == errc::not_found) continue;
        if (!one) co_return fail(one.error());
        if (same_maker(one->record.spec, like)) made.push_back(std::move(one->record));
    }
    co_return made;
}

async<bool> job_desk::are_free(job_id first, std::size_t count) const {
    for (; count > 0; --count, first = first.next()) {
        const auto there = co_await around_.records.find(first);
        if (there) co_return false;
        if (there.error().code() != errc::not_found) co_return fail(there.error());
    }
    co_return true;
}

async<std::vector<job_record>> job_desk::make_together(
    std::vector<wanted_job> wanted, joint_claim claim) {
    if (wanted.empty() || wanted.size() > together_max)
        co_return fail(errc::invalid, "from 1 to 100 jobs are made together");
    std::vector<job_ledger::heir> all;
    for (auto& each : wanted) {
        CO_TRY(auto foreseen, foresee(each));
        all.push_back(job_of(std::move(foreseen)));
    }
    const auto like = all.front().record.spec;
    const job_claims::request request{
        .user = like.by, .key = std::move(claim.key), .digest = std::move(claim.digest)};
    CO_TRY(auto claimed, co_await claims_.take(request));
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto made, co_await made_before(claimed.job, like));
        if (!made.empty()) co_return made;
        CO_CHECK_OK(check_load());
        CO_TRY(const bool free, co_await are_free(claimed.job, all.size()));
        if (free) {
            // What was written is read: by then another one may have come first.
            CO_CHECK_OK(co_await around_.records.make_together(claimed.job, all));
        } else {
            CO_TRY(claimed, co_await claims_.take_next(request, claimed.job));
        }
    }
    co_return fail(errc::unavailable, "too many jobs are made at the same moment; try again");
}

async<job_record> job_desk::pause(job_id job, order from) {
    co_return co_await around_.records.change(
        job, [from](job_record record) { return jobs::pause(std::move(record), from); });
}

async<job_record> job_desk::resume(job_id job, order from) {
    co_return co_await around_.records.change(
        job, [from](job_record record) { return jobs::resume(std::move(record), from); });
}

async<job_record> job_desk::cancel(job_id job, running_tasks what, order from) {
    co_return co_await around_.records.change(job, [from, what](job_record record) {
        return jobs::cancel(std::move(record), what, from);
    });
}

async<job_record> job_desk::release(job_id job, order from) {
    co_return co_await around_.records.change(
        job, [from](job_record record) { return jobs::release(std::move(record), from); });
}

async<job_record> job_desk::retry(job_id job, order from) {
    CO_TRY(const auto old, co_await around_.records.find(job));
    CO_TRY(const auto state, co_await around_.board.read(job));
    auto failed = state->sets.members(task_state::failed, old.record.stage);
    if (failed.empty())
        co_return fail(errc::conflict, "job " + to_string(job) + " failed on no system");
    wanted_job wanted{.spec = again(old.record, from), .targets = std::move(failed)};
    CO_TRY(const auto checked, check_spec(wanted.spec));
    wanted.spec.windows = windows_again(wanted.spec.windows, checked.changes_system());
    wanted.checked = checked;
    CO_TRY(auto made, co_await make(std::move(wanted)));
    co_return std::move(made.record);
}

}  // namespace muster::jobs

#include "roles/jobs/job_desk.h"

#include "roles/jobs/functions.h"

#include <chrono>
#include <utility>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

constexpr auto span_max = std::chrono::hours(24 * 366);
constexpr std::size_t note_bytes_max = 4'096;
constexpr std::size_t parents_max = 100;
constexpr std::uint32_t retries_max = 100;
constexpr std::int32_t priority_most = 1'000;
constexpr std::uint32_t weight_max = 1'000;
constexpr double rate_max = 1'000'000;
constexpr int attempts_max = 16;

result<void> check_span(
    std::string_view name, monotonic::duration span, monotonic::duration least) {
    if (span >= least && span <= span_max) return {};
    return fail(
        errc::invalid,
        "`" + std::string(name) + "` must be from "
            + std::to_string(std::chrono::ceil<std::chrono::seconds>(least).count())
            + " seconds to a year");
}

bool same_request(const job_spec& one, const job_spec& other) {
    return one.function == other.function && one.arguments == other.arguments
           && one.query == other.query && one.by == other.by;
}

// Of jobs that are made together: what each does may have changed since.
bool same_maker(const job_spec& one, const job_spec& other) {
    return one.by == other.by && one.query == other.query && one.note == other.note;
}

}  // namespace

result<void> check_rollout(const rollout_options& how) {
    CHECK_OK(check_span("batch_wait", how.batch_wait, 0s));
    CHECK_OK(check_span("retry_wait", how.retry_wait, 0s));
    CHECK_OK(check_span("canary_wait", how.canary_wait, 0s));
    if (how.canary_wait > monotonic::duration::zero() && !how.canary)
        return fail(errc::invalid, "`canary_wait` is after canaries; say how many: `canary`");
    if (how.rate && (*how.rate <= 0 || *how.rate > rate_max))
        return fail(errc::invalid, "`rate` must be more than 0 and at most 1000000 a second");
    if (how.retries > retries_max) return fail(errc::invalid, "`retries` must be at most 100");
    if (how.priority < -priority_most || how.priority > priority_most)
        return fail(errc::invalid, "`priority` must be from -1000 to 1000");
    if (how.weight < 1 || how.weight > weight_max)
        return fail(errc::invalid, "`weight` must be from 1 to 1000");
    return {};
}

result<void> check_spec(const job_spec& spec) {
    CHECK_OK(check_function(spec.function, spec.arguments));
    if (spec.note.size() > note_bytes_max)
        return fail(errc::invalid, "`note` is longer than 4096 bytes");
    if (spec.parents.size() > parents_max)
        return fail(errc::invalid, "`parents` must be at most 100 jobs");
    CHECK_OK(check_span("timeout", spec.timeout, 1s));
    CHECK_OK(check_span("expires_after", spec.expires_after, 1s));
    if (spec.rollout.canary_wait >= spec.expires_after)
        return fail(errc::invalid, "`canary_wait` must be shorter than `expires_after`");
    return check_rollout(spec.rollout);
}

result<job_desk::plan> job_desk::foresee(const wanted_job& wanted) const {
    CHECK_OK(check_spec(wanted.spec));
    if (around_.allowed) {
        CHECK_OK(around_.allowed(wanted.spec));
    }
    const auto count = wanted.targets.size();
    if (count == 0 && wanted.nobody == empty_target::is_refused)
        return fail(
            errc::invalid,
            "no system is meant by " + wanted.spec.query
                + "; `allow_empty` makes the job all the same");
    if (count > how_.targets_max)
        return fail(
            errc::invalid,
            "the query means " + std::to_string(count) + " systems; a job has at most "
                + std::to_string(how_.targets_max));
    plan made{.spec = wanted.spec, .who = {.targets = wanted.targets, .canaries = {}}};
    const auto attached = around_.attached(wanted.targets);
    made.present = attached.size();
    made.spec.rollout = rollout::with_safe_limit(made.spec.rollout, count, how_.safe);
    made.places = rollout::places_of(made.spec.rollout, count);
    if (const auto& canary = made.spec.rollout.canary; canary && count > 0) {
        const auto seed =
            static_cast<std::uint64_t>(around_.records.time().wall().time_since_epoch().count());
        made.who.canaries =
            rollout::choose_canaries(wanted.targets, attached, of(*canary, count), prng(seed));
        if (!made.who.canaries.empty()) made.phase = job_phase::canaries;
    }
    if (!made.spec.parents.empty()) made.phase = job_phase::nobody;
    made.who.targets.compact();
    return made;
}

// Everything that is open costs every server memory and every node its turns.
result<void> job_desk::check_load() const {
    const auto open = around_.open_jobs ? around_.open_jobs() : 0;
    if (open < how_.open_max) return {};
    return fail(
        errc::unavailable,
        "overloaded: " + std::to_string(open)
            + " jobs are open, as many as may be; try again when some have ended");
}

async<job_desk::made_job> job_desk::make(wanted_job wanted) {
    CO_TRY(auto foreseen, foresee(wanted));
    for (const auto each : foreseen.spec.parents) {
        CO_CHECK_OK(co_await around_.records.find(each));
    }
    job_record record;
    record.spec = std::move(foreseen.spec);
    record.phase = foreseen.phase;
    record.targets = foreseen.who.targets.size();
    if (!wanted.claim) {
        CO_CHECK_OK(check_load());
        CO_TRY(
            auto made, co_await around_.records.make(std::move(record), std::move(foreseen.who)));
        co_return made_job{.record = std::move(made), .again = false};
    }
    if (wanted.claim->empty() || wanted.claim->size() > job_claims::key_bytes_max)
        co_return fail(errc::invalid, "an Idempotency-Key must have from 1 to 255 bytes");
    job_claims::request request{
        .user = record.spec.by, .key = *wanted.claim, .digest = wanted.digest};
    co_return co_await make_claimed(std::move(record), std::move(foreseen.who), std::move(request));
}

async<job_desk::made_job> job_desk::make_claimed(
    job_record record, job_audience who, job_claims::request request) {
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
        CO_TRY(const bool made, co_await around_.records.make_as(record, who));
        CO_TRY(const auto there, co_await around_.records.find(claimed.job));
        if (made) co_return made_job{.record = there.record, .again = !claimed.fresh};
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
        job_record record;
        record.spec = std::move(foreseen.spec);
        record.phase = foreseen.phase;
        all.push_back({.record = std::move(record), .who = std::move(foreseen.who)});
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
    // Where it ignored windows nobody had any; since then somebody may.
    if (wanted.spec.windows == job_spec::window_rule::ignore
        && !changes_nothing(wanted.spec.function, wanted.spec.arguments))
        wanted.spec.windows = job_spec::window_rule::respect;
    CO_TRY(auto made, co_await make(std::move(wanted)));
    co_return std::move(made.record);
}

}  // namespace muster::jobs

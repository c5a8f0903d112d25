#include "services/jobs/job_service.h"

#include "core/jobs/window_rules.h"
#include "services/jobs/functions.h"

#include <utility>

namespace muster::jobs {
namespace {

constexpr int attempts_max = 16;

}  // namespace

result<job_service::plan> job_service::build_plan(const new_job& new_job) const {
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
         .may_be_empty = new_job.if_empty == empty_target::is_allowed}));
    const auto attached = attached_among(new_job.targets, deps_.presence);
    const auto seed = deps_.jobs.clock().wall().time_since_epoch().count();
    return plan_job(
        {.spec = new_job.spec,
         .work = *checked,
         .targets = new_job.targets,
         .attached = attached,
         .default_batch = options_.safe,
         .random = prng(static_cast<std::uint64_t>(seed))});
}

result<void> job_service::check_load() const {
    return check_open_jobs(
        deps_.open_jobs != nullptr ? deps_.open_jobs->load() : 0, options_.open_max);
}

async<job_service::created_job> job_service::create(new_job new_job) {
    CO_TRY(auto plan, build_plan(new_job));
    for (const auto parent : plan.spec.parents) {
        CO_CHECK_OK(co_await deps_.jobs.find(parent));
    }
    auto job = to_job(std::move(plan));
    if (!new_job.idempotency_key) {
        CO_CHECK_OK(check_load());
        CO_TRY(
            auto record, co_await deps_.jobs.create(std::move(job.record), std::move(job.targets)));
        co_return created_job{.record = std::move(record), .existed = false};
    }
    if (new_job.idempotency_key->empty()
        || new_job.idempotency_key->size() > job_idempotency_store::key_bytes_max)
        co_return fail(errc::invalid, "Idempotency-Key must be 1 to 255 bytes");
    job_idempotency_store::request request{
        .user = job.record.spec.actor, .key = *new_job.idempotency_key, .digest = new_job.digest};
    co_return co_await create_idempotent(std::move(job), std::move(request));
}

async<job_service::created_job> job_service::create_idempotent(
    job_with_targets job, job_idempotency_store::request request) {
    auto& record = job.record;
    CO_TRY(auto reserved, co_await idempotency_.reserve(request));
    if (const auto load = check_load(); !load) {
        // A job that exists already is returned in spite of the load.
        const auto stored = co_await deps_.jobs.find(reserved.job);
        if (stored && same_request(stored->record.spec, record.spec))
            co_return created_job{.record = stored->record, .existed = true};
        co_return fail(load.error());
    }
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        record.job = reserved.job;
        record.changed = created_at(record.job);
        CO_TRY(const bool created, co_await deps_.jobs.create_with_id(record, job.targets));
        if (created)
            co_return created_job{.record = std::move(record), .existed = !reserved.is_new};
        CO_TRY(const auto stored, co_await deps_.jobs.find(reserved.job));
        // The id belongs to this request, created before, or to another job of the same
        // microsecond. In the latter case the next id is reserved.
        if (same_request(stored.record.spec, record.spec))
            co_return created_job{.record = stored.record, .existed = true};
        CO_TRY(reserved, co_await idempotency_.reserve_next(request, reserved.job));
    }
    co_return fail(errc::unavailable, "too many jobs created concurrently; retry");
}

async<std::vector<job_record>> job_service::find_created(job_id first, job_spec spec) const {
    std::vector<job_record> records;
    const auto stored = co_await deps_.jobs.find(first);
    if (!stored && stored.error().code() == errc::not_found) co_return records;
    if (!stored) co_return fail(stored.error());
    if (!same_origin(stored->record.spec, spec)) co_return records;
    for (const auto sibling : stored->record.spec.siblings) {
        auto other = co_await deps_.jobs.find(sibling);
        if (!other && other.error().code() == errc::not_found) continue;
        if (!other) co_return fail(other.error());
        if (same_origin(other->record.spec, spec)) records.push_back(std::move(other->record));
    }
    co_return records;
}

async<bool> job_service::are_free(job_id first, std::size_t count) const {
    for (; count > 0; --count, first = first.next()) {
        const auto stored = co_await deps_.jobs.find(first);
        if (stored) co_return false;
        if (stored.error().code() != errc::not_found) co_return fail(stored.error());
    }
    co_return true;
}

async<std::vector<job_record>> job_service::create_together(
    std::vector<new_job> new_jobs, request_key key) {
    if (new_jobs.empty() || new_jobs.size() > together_max)
        co_return fail(errc::invalid, "a request must create 1 to 100 jobs");
    std::vector<job_with_targets> jobs;
    for (auto& new_job : new_jobs) {
        CO_TRY(auto plan, build_plan(new_job));
        jobs.push_back(to_job(std::move(plan)));
    }
    const auto spec = jobs.front().record.spec;
    const job_idempotency_store::request request{
        .user = spec.actor, .key = std::move(key.key), .digest = std::move(key.digest)};
    CO_TRY(auto reserved, co_await idempotency_.reserve(request));
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto existing, co_await find_created(reserved.job, spec));
        if (!existing.empty()) co_return existing;
        CO_CHECK_OK(check_load());
        CO_TRY(const bool free, co_await are_free(reserved.job, jobs.size()));
        if (free) {
            // The next pass reads the jobs: a concurrent request may have written first.
            CO_CHECK_OK(co_await deps_.jobs.create_siblings(reserved.job, jobs));
        } else {
            CO_TRY(reserved, co_await idempotency_.reserve_next(request, reserved.job));
        }
    }
    co_return fail(errc::unavailable, "too many jobs created concurrently; retry");
}

async<job_record> job_service::pause(job_id job, change_origin request) {
    co_return co_await deps_.jobs.change(
        job, [request](job_record record) { return jobs::pause(std::move(record), request); });
}

async<job_record> job_service::resume(job_id job, change_origin request) {
    co_return co_await deps_.jobs.change(
        job, [request](job_record record) { return jobs::resume(std::move(record), request); });
}

async<job_record> job_service::cancel(
    job_id job, running_task_policy running_tasks, change_origin request) {
    co_return co_await deps_.jobs.change(job, [request, running_tasks](job_record record) {
        return jobs::cancel(std::move(record), running_tasks, request);
    });
}

async<job_record> job_service::release(job_id job, change_origin request) {
    co_return co_await deps_.jobs.change(
        job, [request](job_record record) { return jobs::release(std::move(record), request); });
}

async<job_record> job_service::retry(job_id job, change_origin request) {
    CO_TRY(const auto stored, co_await deps_.jobs.find(job));
    CO_TRY(const auto states, co_await deps_.task_states.read(job));
    auto failed = states->sets.members(task_state::failed, stored.record.stage);
    if (failed.empty())
        co_return fail(errc::conflict, "job \"" + to_string(job) + "\" did not fail on any system");
    new_job new_job{.spec = retry_spec(stored.record, request), .targets = std::move(failed)};
    CO_TRY(const auto checked, check_spec(new_job.spec));
    new_job.spec.windows = retry_window_rule(new_job.spec.windows, checked.changes_system());
    new_job.checked = checked;
    CO_TRY(auto created, co_await create(std::move(new_job)));
    co_return std::move(created.record);
}

}  // namespace muster::jobs

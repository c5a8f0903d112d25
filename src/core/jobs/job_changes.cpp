#include "core/jobs/job_changes.h"

#include "core/jobs/job_replacement.h"

#include <utility>

namespace muster::jobs {
namespace {

std::string build_reason(std::string_view action, const change_origin& origin) {
    auto reason = std::string(action) + " by " + origin.user;
    if (!origin.note.empty()) reason += ": " + origin.note;
    return reason;
}

std::unexpected<error> already_ended(const job_record& job, std::string_view change) {
    return fail(
        errc::conflict,
        "job " + to_string(job.job) + " is " + std::string(to_string(job.stage)) + " and cannot be "
            + std::string(change) + "; create a new job with: muster job " + to_string(job.job)
            + " retry");
}

std::unexpected<error> being_cancelled(const job_record& job, std::string_view change) {
    return fail(
        errc::conflict,
        "job " + to_string(job.job) + " is being cancelled and cannot be " + std::string(change));
}

}  // namespace

result<job_record> pause(job_record job, const change_origin& origin) {
    if (is_final(job.stage)) return already_ended(job, "paused");
    if (job.stage == job_stage::cancelling) return being_cancelled(job, "paused");
    if (job.stage == job_stage::paused) return job;
    job.stage = job_stage::paused;
    job.reason = build_reason("paused", origin);
    return job;
}

result<job_record> resume(job_record job, const change_origin& origin) {
    if (is_final(job.stage)) return already_ended(job, "resumed");
    if (job.stage == job_stage::cancelling) return being_cancelled(job, "resumed");
    if (job.stage == job_stage::open) return job;
    job.stage = job_stage::open;
    job.reason = build_reason("resumed", origin);
    return job;
}

result<job_record> cancel(job_record job, running_task_policy policy, const change_origin& origin) {
    if (job.stage == job_stage::cancelled) return job;
    if (is_final(job.stage))
        return fail(
            errc::conflict,
            "job " + to_string(job.job) + " is " + std::string(to_string(job.stage))
                + " and cannot be cancelled");
    const bool kill = job.kill_running || policy == running_task_policy::kill;
    if (job.stage == job_stage::cancelling && kill == job.kill_running) return job;
    job.stage = job_stage::cancelling;
    job.kill_running = kill;
    job.reason = build_reason("cancelled", origin);
    return job;
}

result<job_record> release(job_record job, const change_origin& origin) {
    if (is_final(job.stage)) return already_ended(job, "released");
    if (job.stage == job_stage::cancelling) return being_cancelled(job, "released");
    if (waits_for_original(job.spec))
        return fail(
            errc::conflict,
            "job " + to_string(job.job) + " replaces job " + to_string(*job.spec.replaces)
                + ", which has not ended on all systems yet; retry later");
    if (job.phase == job_phase::all) return job;
    job.phase = job_phase::all;
    job.reason = build_reason("released", origin);
    return job;
}

job_record halt(job_record job, std::string reason) {
    if (is_final(job.stage)) return job;
    job.stage = job_stage::halted;
    job.reason = std::move(reason);
    return job;
}

job_spec retry_spec(const job_record& old, const change_origin& origin) {
    auto spec = old.spec;
    spec.actor = origin.user;
    spec.query = "failed in job " + to_string(old.job);
    spec.note = "retry of job " + to_string(old.job);
    if (!origin.note.empty()) spec.note += ": " + origin.note;
    spec.not_before.reset();
    spec.parents.clear();
    spec.replaced_by.clear();
    spec.replaces.reset();
    spec.siblings.clear();
    spec.rollout.canary.reset();
    spec.rollout.canary_wait = {};
    return spec;
}

}  // namespace muster::jobs

#include "core/jobs/job_changes.h"

#include "core/jobs/job_replacement.h"

#include <utility>

namespace muster::jobs {
namespace {

std::string told(std::string_view text, const order& from) {
    auto sentence = std::string(text) + " by " + from.by;
    if (!from.note.empty()) sentence += ": " + from.note;
    return sentence;
}

std::unexpected<error> over(const job_record& job, std::string_view desired) {
    return fail(
        errc::conflict,
        "job " + to_string(job.job) + " is " + std::string(to_string(job.stage)) + " and cannot be "
            + std::string(desired) + "; make a new one with: muster job " + to_string(job.job)
            + " retry");
}

std::unexpected<error> being_cancelled(const job_record& job, std::string_view desired) {
    return fail(
        errc::conflict,
        "job " + to_string(job.job) + " is being cancelled and cannot be " + std::string(desired));
}

}  // namespace

result<job_record> pause(job_record job, const order& from) {
    if (is_end(job.stage)) return over(job, "paused");
    if (job.stage == job_stage::cancelling) return being_cancelled(job, "paused");
    if (job.stage == job_stage::paused) return job;
    job.stage = job_stage::paused;
    job.reason = told("paused", from);
    return job;
}

result<job_record> resume(job_record job, const order& from) {
    if (is_end(job.stage)) return over(job, "resumed");
    if (job.stage == job_stage::cancelling) return being_cancelled(job, "resumed");
    if (job.stage == job_stage::open) return job;
    job.stage = job_stage::open;
    job.reason = told("resumed", from);
    return job;
}

result<job_record> cancel(job_record job, running_tasks what, const order& from) {
    if (job.stage == job_stage::cancelled) return job;
    if (is_end(job.stage))
        return fail(
            errc::conflict,
            "job " + to_string(job.job) + " is " + std::string(to_string(job.stage))
                + "; there is nothing left to cancel");
    const bool kill = job.kill_running || what == running_tasks::are_ended;
    if (job.stage == job_stage::cancelling && kill == job.kill_running) return job;
    job.stage = job_stage::cancelling;
    job.kill_running = kill;
    job.reason = told("cancelled", from);
    return job;
}

result<job_record> release(job_record job, const order& from) {
    if (is_end(job.stage)) return over(job, "released");
    if (job.stage == job_stage::cancelling) return being_cancelled(job, "released");
    if (waits_to_succeed(job.spec))
        return fail(
            errc::conflict,
            "job " + to_string(job.job) + " takes the place of job " + to_string(*job.spec.replaces)
                + ", which has not ended everywhere; wait a moment");
    if (job.phase == job_phase::everybody) return job;
    job.phase = job_phase::everybody;
    job.reason = told("released", from);
    return job;
}

job_record halt(job_record job, std::string reason) {
    if (is_end(job.stage)) return job;
    job.stage = job_stage::halted;
    job.reason = std::move(reason);
    return job;
}

job_spec again(const job_record& old, const order& from) {
    auto spec = old.spec;
    spec.by = from.by;
    spec.query = "failed in job " + to_string(old.job);
    spec.note = "again, after job " + to_string(old.job);
    if (!from.note.empty()) spec.note += ": " + from.note;
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

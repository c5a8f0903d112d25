#include "core/jobs/job_plan.h"

#include <utility>

namespace muster::jobs {

job_plan plan_job(plan_request request) {
    const auto count = request.targets.size();
    job_plan plan{
        .spec = request.spec,
        .targets = {.systems = request.targets, .canaries = {}},
        .attached_count = request.attached.size(),
        .changes_system = request.work.changes_system()};
    plan.spec.rollout =
        rollout::apply_default_batch(plan.spec.rollout, count, request.default_batch);
    plan.concurrency = rollout::concurrency_of(plan.spec.rollout, count);
    if (const auto& canary = plan.spec.rollout.canary; canary && count > 0) {
        plan.targets.canaries = rollout::choose_canaries(
            request.targets, request.attached, count_of(*canary, count), request.random);
        if (!plan.targets.canaries.empty()) plan.phase = job_phase::canaries;
    }
    if (!plan.spec.parents.empty()) plan.phase = job_phase::none;
    plan.targets.systems.compact();
    return plan;
}

job_with_targets to_job(job_plan plan) {
    job_with_targets job{.record = {}, .targets = std::move(plan.targets)};
    job.record.spec = std::move(plan.spec);
    job.record.phase = plan.phase;
    job.record.targets = job.targets.systems.size();
    return job;
}

}  // namespace muster::jobs

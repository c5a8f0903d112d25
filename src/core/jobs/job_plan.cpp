#include "core/jobs/job_plan.h"

#include <utility>

namespace muster::jobs {

job_plan plan_job(plan_request request) {
    const auto count = request.targets.size();
    job_plan plan{
        .spec = request.spec,
        .who = {.targets = request.targets, .canaries = {}},
        .present = request.attached.size(),
        .changes_system = request.work.changes_system()};
    plan.spec.rollout = rollout::with_safe_limit(plan.spec.rollout, count, request.safe);
    plan.places = rollout::places_of(plan.spec.rollout, count);
    if (const auto& canary = plan.spec.rollout.canary; canary && count > 0) {
        plan.who.canaries = rollout::choose_canaries(
            request.targets, request.attached, of(*canary, count), request.random);
        if (!plan.who.canaries.empty()) plan.phase = job_phase::canaries;
    }
    if (!plan.spec.parents.empty()) plan.phase = job_phase::nobody;
    plan.who.targets.compact();
    return plan;
}

job_with_targets job_of(job_plan plan) {
    job_with_targets result{.record = {}, .who = std::move(plan.who)};
    result.record.spec = std::move(plan.spec);
    result.record.phase = plan.phase;
    result.record.targets = result.who.targets.size();
    return result;
}

}  // namespace muster::jobs

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

new_job job_of(job_plan plan) {
    new_job made{.record = {}, .who = std::move(plan.who)};
    made.record.spec = std::move(plan.spec);
    made.record.phase = plan.phase;
    made.record.targets = made.who.targets.size();
    return made;
}

}  // namespace muster::jobs

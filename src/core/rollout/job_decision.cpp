#include "core/rollout/job_decision.h"

#include "core/rollout/plan.h"

namespace muster::rollout {
namespace {

job_decision decide_end(const job_record& job, const job_totals& totals, bool expired) {
    if (job.stage == job_stage::cancelling)
        return {job_decision_kind::end, job_stage::cancelled, "no tasks are running"};
    if (totals.completed + totals.failed >= job.targets)
        return {job_decision_kind::end, job_stage::done, "all systems returned a result"};
    if (expired)
        return {
            job_decision_kind::end,
            job_stage::expired,
            std::to_string(job.targets - totals.completed - totals.failed)
                + " systems did not start in time"};
    return {};  // some systems are not in any report yet
}

}  // namespace

job_totals totals_of(const std::vector<node_view>& nodes) {
    job_totals totals{.exact = is_complete(nodes)};
    for (const node_view& node : nodes) {
        if (!node.owns_slots || !node.report) continue;
        totals.queued += node.report->queued;
        totals.running += node.report->running;
        totals.completed += node.report->completed;
        totals.failed += node.report->failed;
        totals.canaries_completed += node.report->canaries_completed;
    }
    return totals;
}

std::optional<wall_time> rest_start_time(
    const job_spec& spec, std::optional<wall_time> canaries_ended) {
    if (!canaries_ended) return std::nullopt;
    return *canaries_ended
           + std::chrono::floor<std::chrono::microseconds>(spec.rollout.canary_wait);
}

job_decision decide(
    const job_record& job,
    const permission& permission,
    const job_totals& totals,
    const job_time& time) {
    if (is_final(job.stage) || !totals.exact) return {};
    const auto failures_max = failure_limit(job.spec.rollout, job.targets);
    const bool cancelling = job.stage == job_stage::cancelling;
    if (!cancelling && failures_max && totals.failed > *failures_max)
        return {
            job_decision_kind::halt,
            job_stage::halted,
            std::to_string(totals.failed) + " tasks failed, failure limit is "
                + std::to_string(*failures_max)};
    if (totals.queued == 0 && totals.running == 0) return decide_end(job, totals, time.expired);
    const auto* canaries = std::get_if<canaries_only>(&permission);
    if (canaries == nullptr || totals.canaries_completed < canaries->systems.size()) return {};
    if (job.spec.rollout.canary_wait > monotonic::duration::zero()) {
        const auto rest_start = rest_start_time(job.spec, totals.canaries_ended);
        if (!rest_start || time.now < *rest_start) return {};
    }
    return {job_decision_kind::permit_all, job.stage, "the canaries succeeded"};
}

}  // namespace muster::rollout

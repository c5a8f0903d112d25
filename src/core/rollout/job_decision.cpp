#include "core/rollout/job_decision.h"

#include "core/rollout/plan.h"

namespace muster::rollout {
namespace {

job_decision ended(const job_record& job, const job_totals& sums, bool expired) {
    if (job.stage == job_stage::cancelling)
        return {job_decision_kind::end, job_stage::cancelled, "nothing of it runs any more"};
    if (sums.completed + sums.failed >= job.targets)
        return {job_decision_kind::end, job_stage::done, "every system has answered"};
    if (expired)
        return {
            job_decision_kind::end,
            job_stage::expired,
            std::to_string(job.targets - sums.completed - sums.failed)
                + " systems did not start in time"};
    return {};  // somebody's systems are not told of by anybody yet
}

}  // namespace

job_totals totals_of(const std::vector<node_view>& nodes) {
    job_totals sums{.exact = complete(nodes)};
    for (const node_view& node : nodes) {
        if (!node.owns_slots || !node.report) continue;
        sums.queued += node.report->queued;
        sums.running += node.report->running;
        sums.completed += node.report->completed;
        sums.failed += node.report->failed;
        sums.canaries_completed += node.report->canaries_completed;
    }
    return sums;
}

std::optional<wall_time> rest_starts(
    const job_spec& spec, std::optional<wall_time> canaries_ended) {
    if (!canaries_ended) return std::nullopt;
    return *canaries_ended
           + std::chrono::floor<std::chrono::microseconds>(spec.rollout.canary_wait);
}

job_decision decide(
    const job_record& job,
    const permission& now_permitted,
    const job_totals& sums,
    const job_time& time) {
    if (is_end(job.stage) || !sums.exact) return {};
    const auto borne = failures_borne(job.spec.rollout, job.targets);
    const bool cancelling = job.stage == job_stage::cancelling;
    if (!cancelling && borne && sums.failed > *borne)
        return {
            job_decision_kind::halt,
            job_stage::halted,
            std::to_string(sums.failed) + " tasks failed, the job bears " + std::to_string(*borne)};
    if (sums.queued == 0 && sums.running == 0) return ended(job, sums, time.expired);
    const auto* canaries = std::get_if<canaries_only>(&now_permitted);
    if (canaries == nullptr || sums.canaries_completed < canaries->systems.size()) return {};
    if (job.spec.rollout.canary_wait > monotonic::duration::zero()) {
        const auto starts = rest_starts(job.spec, sums.canaries_ended);
        if (!starts || time.now < *starts) return {};
    }
    return {job_decision_kind::permit_all, job.stage, "the canaries succeeded"};
}

}  // namespace muster::rollout

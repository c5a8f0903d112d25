#include "core/jobs/job_replacement.h"

#include <utility>

namespace muster::jobs {
namespace {

replacement_progress given_up(std::string reason) {
    return {.what = replacement_step::give_up, .reason = std::move(reason)};
}

}  // namespace

replacement_progress next_step(
    const job_record& heir, const job_record* old, const replacement_facts& replacement_facts) {
    using enum replacement_step;
    if (old == nullptr)
        return given_up("the job whose place it was to take is not on record any more");
    const auto name = "job " + to_string(old->job);
    if (old->spec.replaced_by == heir.spec.siblings) {
        if (!is_end(old->stage)) return {.what = wait};
        if (!replacement_facts.begun) return {.what = continue_chain};
        return given_up(name + " had begun on some of its systems already; make a new one");
    }
    if (!old->spec.replaced_by.empty())
        return given_up(name + " goes on as job " + to_string(old->spec.replaced_by.front()));
    if (is_end(old->stage) || old->stage == job_stage::cancelling)
        return given_up(
            name + ", whose place it was to take, is " + std::string(to_string(old->stage)));
    if (waits_to_succeed(old->spec)) return {.what = wait};
    if (!old->spec.not_before || *old->spec.not_before < replacement_facts.safe)
        return given_up(name + " was about to start before it could be moved, and stays as it is");
    if (!replacement_facts.complete)
        return given_up("not all that were to take the place of " + name + " are");
    return {.what = take_over};
}

job_record taken_over(job_record old, const job_record& heir) {
    old.spec.replaced_by = heir.spec.siblings;
    old.stage = job_stage::cancelling;
    old.reason = heir.reason + "; it goes on as job " + to_string(heir.spec.siblings.front());
    if (heir.spec.siblings.size() > 1)
        old.reason += " and " + std::to_string(heir.spec.siblings.size() - 1) + " more";
    return old;
}

job_record let_go(job_record heir) {
    heir.spec.siblings.clear();
    if (heir.stage == job_stage::open) heir.reason.clear();
    if (heir.phase != job_phase::nobody || !heir.spec.parents.empty()) return heir;
    heir.phase = heir.spec.rollout.canary ? job_phase::canaries : job_phase::everybody;
    return heir;
}

bool stays_whole(const rollout_options& options) {
    return options.canary || options.batch || options.rate || options.max_failures;
}

planned_starts together(const planned_starts& starts) {
    fleet::system_set all;
    const planned_starts::value_type* most = nullptr;
    for (const auto& start : starts) {
        all |= start.second;
        if (most == nullptr || start.second.size() > most->second.size()) most = &start;
    }
    if (all.empty()) return {};
    return {{most->first, std::move(all)}};
}

}  // namespace muster::jobs

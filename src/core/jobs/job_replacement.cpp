#include "core/jobs/job_replacement.h"

#include <utility>

namespace muster::jobs {
namespace {

replacement_progress abandon_because(std::string reason) {
    return {.step = replacement_step::abandon, .reason = std::move(reason)};
}

}  // namespace

replacement_progress next_step(
    const job_record& replacement, const job_record* original, const replacement_facts& facts) {
    using enum replacement_step;
    if (original == nullptr) return abandon_because("the job to replace no longer exists");
    const auto name = "job " + to_string(original->job);
    if (original->spec.replaced_by == replacement.spec.siblings) {
        if (!is_final(original->stage)) return {.step = wait};
        if (!facts.original_begun) return {.step = release};
        return abandon_because(
            name + " has already started on some of its systems; create a new job");
    }
    if (!original->spec.replaced_by.empty())
        return abandon_because(
            name + " was already replaced by job " + to_string(original->spec.replaced_by.front()));
    if (is_final(original->stage) || original->stage == job_stage::cancelling)
        return abandon_because(
            "the job to replace, " + name + ", is " + std::string(to_string(original->stage)));
    if (waits_for_original(original->spec)) return {.step = wait};
    if (!original->spec.not_before || *original->spec.not_before < facts.safe_from)
        return abandon_because(name + " was about to start and was not replaced");
    if (!facts.complete)
        return abandon_because("not all replacements of " + name + " were created");
    return {.step = cancel_original};
}

job_record mark_replaced(job_record original, const job_record& replacement) {
    original.spec.replaced_by = replacement.spec.siblings;
    original.stage = job_stage::cancelling;
    original.reason =
        replacement.reason + "; replaced by job " + to_string(replacement.spec.siblings.front());
    if (replacement.spec.siblings.size() > 1)
        original.reason += " and " + std::to_string(replacement.spec.siblings.size() - 1) + " more";
    return original;
}

job_record release_replacement(job_record replacement) {
    replacement.spec.siblings.clear();
    if (replacement.stage == job_stage::open) replacement.reason.clear();
    if (replacement.phase != job_phase::none || !replacement.spec.parents.empty())
        return replacement;
    replacement.phase = replacement.spec.rollout.canary ? job_phase::canaries : job_phase::all;
    return replacement;
}

bool must_stay_whole(const rollout_options& options) {
    return options.canary || options.batch || options.rate || options.max_failures;
}

planned_starts merge_starts(const planned_starts& starts) {
    fleet::system_set systems;
    const planned_starts::value_type* largest = nullptr;
    for (const auto& start : starts) {
        systems |= start.second;
        if (largest == nullptr || start.second.size() > largest->second.size()) largest = &start;
    }
    if (systems.empty()) return {};
    return {{largest->first, std::move(systems)}};
}

}  // namespace muster::jobs

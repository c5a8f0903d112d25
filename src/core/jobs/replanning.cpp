#include "core/jobs/replanning.h"

#include "core/rollout/plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace muster::jobs {
namespace {

bool is_planned(const job_record& job, wall_time from) {
    const bool is_active = job.stage == job_stage::open || job.stage == job_stage::paused;
    return is_active && respects_windows(job.spec) && job.spec.not_before
           && *job.spec.not_before > from;
}

// The remaining canaries of the old job, or new ones.
fleet::system_set canaries_of(
    const job_record& job, const job_targets& targets, const fleet::system_set& systems) {
    const auto& canary = job.spec.rollout.canary;
    if (!canary || job.phase == job_phase::all) return {};
    auto remaining = targets.canaries & systems;
    if (!remaining.empty()) return remaining;
    const auto seed = static_cast<std::uint64_t>(job.job.value());
    return rollout::choose_canaries(
        systems, systems, count_of(*canary, systems.size()), prng(seed));
}

// The note of the operator, after the note about the replaced job.
std::string note_of(const job_record& original) {
    auto note = original.spec.note;
    const auto prefix_of = [](job_id job) {
        return "in place of job " + to_string(job);
    };
    if (original.spec.replaces && note.starts_with(prefix_of(*original.spec.replaces)))
        note.erase(0, std::min(note.size(), prefix_of(*original.spec.replaces).size() + 2));
    return prefix_of(original.job) + (note.empty() ? "" : ": " + note);
}

job_record build_replacement(
    const job_record& original, wall_time start, const std::string& reason) {
    auto record = original;
    record.spec.not_before = start;
    record.spec.note = note_of(original);
    record.spec.replaces = original.job;
    record.reason = reason;
    if (record.stage == job_stage::paused) record.reason += "; " + original.reason;
    record.version = 1;
    // The replacement does not wait for what the original no longer waits for.
    const bool is_released = record.phase == job_phase::all;
    if (record.phase != job_phase::none) record.spec.parents.clear();
    if (is_released) record.spec.rollout.canary.reset();
    if (is_released) record.spec.rollout.canary_wait = {};
    record.phase = job_phase::none;
    return record;
}

}  // namespace

std::set<job_id> find_planned(std::span<const job_record* const> open, wall_time now) {
    std::set<job_id> planned;
    for (const auto* const job : open)
        if (is_planned(*job, now + replanning_lead)) planned.insert(job->job);
    for (const auto* const job : open)
        if (waits_for_original(job->spec)) planned.erase(*job->spec.replaces);
    return planned;
}

planned_starts starts_of(const job_record& job, const job_targets& targets) {
    return {{*job.spec.not_before, targets.systems}};
}

bool apply_decision(
    const windows::replan_decision& decision,
    const fleet::system_set& systems,
    planned_starts& starts) {
    if (std::holds_alternative<windows::kept>(decision.action)) return false;
    for (auto& [start, start_systems] : starts) start_systems -= systems;
    if (const auto* const moved = std::get_if<windows::moved>(&decision.action))
        starts[moved->start] |= systems;
    return true;
}

job_replacement plan_replacement(
    const job_record& job,
    const job_targets& targets,
    planned_starts starts,
    const std::string& reason) {
    using enum job_replacement::action_kind;
    std::erase_if(starts, [](const auto& entry) { return entry.second.empty(); });
    if (must_stay_whole(job.spec.rollout) || starts.size() > job_limits::jobs_per_request_max)
        starts = merge_starts(starts);
    if (starts == starts_of(job, targets)) return {.action = keep};
    if (starts.empty()) return {.action = cancel};
    job_replacement replacement{.action = replace};
    for (const auto& [start, systems] : starts)
        replacement.replacements.push_back(
            {.record = build_replacement(job, start, reason),
             .targets = {.systems = systems, .canaries = canaries_of(job, targets, systems)}});
    return replacement;
}

}  // namespace muster::jobs

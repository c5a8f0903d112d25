#include "core/jobs/replanning.h"

#include "core/rollout/plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace muster::jobs {
namespace {

bool is_planned(const job_record& job, wall_time from) {
    const bool stands = job.stage == job_stage::open || job.stage == job_stage::paused;
    return stands && heeds_windows(job.spec) && job.spec.not_before && *job.spec.not_before > from;
}

// Those of the old job as far as they are left, or others.
fleet::system_set canaries_of(
    const job_record& job, const job_targets& job_targets, const fleet::system_set& systems) {
    const auto& canary = job.spec.rollout.canary;
    if (!canary || job.phase == job_phase::everybody) return {};
    auto left = job_targets.canaries & systems;
    if (!left.empty()) return left;
    const auto seed = static_cast<std::uint64_t>(job.job.value());
    return rollout::choose_canaries(systems, systems, of(*canary, systems.size()), prng(seed));
}

// What people wrote, behind whose place it takes.
std::string note_of(const job_record& old) {
    auto note = old.spec.note;
    const auto place_of = [](job_id job) {
        return "in place of job " + to_string(job);
    };
    if (old.spec.replaces && note.starts_with(place_of(*old.spec.replaces)))
        note.erase(0, std::min(note.size(), place_of(*old.spec.replaces).size() + 2));
    return place_of(old.job) + (note.empty() ? "" : ": " + note);
}

job_record heir_of(const job_record& old, wall_time at, const std::string& reason) {
    auto record = old;
    record.spec.not_before = at;
    record.spec.note = note_of(old);
    record.spec.replaces = old.job;
    record.reason = reason;
    if (record.stage == job_stage::paused) record.reason += "; " + old.reason;
    record.version = 1;
    // What the old one does not wait for any more, the new one need not.
    const bool released = record.phase == job_phase::everybody;
    if (record.phase != job_phase::nobody) record.spec.parents.clear();
    if (released) record.spec.rollout.canary.reset();
    if (released) record.spec.rollout.canary_wait = {};
    record.phase = job_phase::nobody;
    return record;
}

}  // namespace

std::set<job_id> planned_among(std::span<const job_record* const> open, wall_time now) {
    std::set<job_id> planned;
    for (const auto* const each : open)
        if (is_planned(*each, now + replanning_lead)) planned.insert(each->job);
    for (const auto* const each : open)
        if (waits_to_succeed(each->spec)) planned.erase(*each->spec.replaces);
    return planned;
}

planned_starts starts_of(const job_record& job, const job_targets& job_targets) {
    return {{*job.spec.not_before, job_targets.targets}};
}

bool apply_verdict(
    const windows::replanned& verdict, const fleet::system_set& systems, planned_starts& starts) {
    if (std::holds_alternative<windows::kept>(verdict.verdict)) return false;
    for (auto& [at, each] : starts) each -= systems;
    if (const auto* const moved = std::get_if<windows::moved>(&verdict.verdict))
        starts[moved->to] |= systems;
    return true;
}

job_replacement replacement_of(
    const job_record& job,
    const job_targets& job_targets,
    planned_starts by,
    const std::string& reason) {
    using enum job_replacement::step;
    std::erase_if(by, [](const auto& each) { return each.second.empty(); });
    if (stays_whole(job.spec.rollout) || by.size() > job_limits::together_max) by = together(by);
    if (by == starts_of(job, job_targets)) return {.what = stays};
    if (by.empty()) return {.what = is_cancelled};
    job_replacement result{.what = goes_on};
    for (const auto& [at, systems] : by)
        result.heirs.push_back(
            {.record = heir_of(job, at, reason),
             .who = {.targets = systems, .canaries = canaries_of(job, job_targets, systems)}});
    return result;
}

}  // namespace muster::jobs

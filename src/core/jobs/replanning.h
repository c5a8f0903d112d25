#pragma once

#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/jobs/job_plan.h"
#include "core/jobs/job_replacement.h"
#include "core/model/job.h"
#include "core/windows/replacement.h"

#include <chrono>
#include <set>
#include <span>
#include <string>
#include <vector>

// Moves planned jobs after a change of calendars or schedules. A job is planned if it respects
// windows and has a start in the future. The tasks of other jobs wait for the windows of their
// systems.
namespace muster::jobs {

// A start that is nearer than this stays, because cancelling it everywhere may take longer.
inline constexpr std::chrono::seconds replanning_lead{60};

// The planned jobs among the open ones, without jobs that are being replaced.
std::set<job_id> find_planned(std::span<const job_record* const> open, wall_time now);

// The start of a planned job with its systems.
planned_starts starts_of(const job_record& job, const job_targets& targets);

// Applies the decision about a schedule to the systems that use it. False if nothing changes.
bool apply_decision(
    const windows::replan_decision& decision,
    const fleet::system_set& systems,
    planned_starts& starts);

// What happens to a planned job. It is kept, cancelled, or replaced by one job for each remaining
// start; by a single one if it must stay whole.
struct job_replacement {
    enum class action_kind { keep, cancel, replace } action = action_kind::keep;
    std::vector<job_with_targets> replacements = {};  // for replace
};
// Systems of the job that are in none of the starts are cancelled.
job_replacement plan_replacement(
    const job_record& job,
    const job_targets& targets,
    planned_starts starts,
    const std::string& reason);

}  // namespace muster::jobs

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

// What a change of calendars or schedules makes of jobs that respect windows and have a start to
// come. A job without such a start is not planned: its tasks wait for whatever window their system
// has.
namespace muster::jobs {

// A start that is nearer stays: there might not be the time to take it back everywhere.
inline constexpr std::chrono::seconds replanning_lead{60};

// Of open jobs those that are planned, without those that others are about to take the place of.
std::set<job_id> planned_among(std::span<const job_record* const> open, wall_time now);

// When a planned job starts on whom.
planned_starts starts_of(const job_record& job, const job_targets& job_targets);

// What a schedule's verdict means for those of the job's systems that have it. False: nothing.
bool apply_verdict(
    const windows::replanned& verdict, const fleet::system_set& systems, planned_starts& starts);

// How a job goes on. One that cannot stay goes on as new ones, one for each start that is left, or
// as a single one if its limits are for all of its systems.
struct job_replacement {
    enum class step { stays, is_cancelled, goes_on } what = step::stays;
    std::vector<job_with_targets> heirs = {};  // of one that goes on
};
// Whatever of the job's systems is in none of the starts is taken back.
job_replacement replacement_of(
    const job_record& job,
    const job_targets& job_targets,
    planned_starts by,
    const std::string& reason);

}  // namespace muster::jobs

#pragma once

#include "core/fleet/system_set.h"
#include "core/windows/replacement.h"
#include "ports/async.h"

#include <map>
#include <string>
#include <vector>

namespace muster::windows {

// A planned job that was replaced by other jobs, or cancelled.
struct replaced_job {
    std::string job;
    std::vector<std::string> replacements = {};  // empty: the job was cancelled
    std::string failure = {};                    // why the job was not replaced; empty: it was

    friend bool operator==(const replaced_job&, const replaced_job&) = default;
};

// By the maintenance schedule whose windows changed.
using replanned_schedules = std::map<std::string, std::vector<replan_decision>>;

// Interface: the planned jobs that a change of calendars affects.
class planned_jobs {
public:
    planned_jobs() = default;
    planned_jobs(const planned_jobs&) = delete;
    planned_jobs& operator=(const planned_jobs&) = delete;
    virtual ~planned_jobs() = default;

    // The starts planned within the windows of this schedule.
    virtual std::vector<planned_start> planned(const std::string& schedule) const = 0;
    // Reschedules or cancels planned jobs as decided.
    virtual async<std::vector<replaced_job>> apply_decisions(
        replanned_schedules decisions, std::string user) = 0;
    // Removes these systems from the planned jobs, and returns the affected jobs.
    virtual async<std::vector<replaced_job>> cancel(
        fleet::system_set systems, std::string user) = 0;
};

}  // namespace muster::windows

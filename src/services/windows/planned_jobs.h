#pragma once

#include "core/fleet/system_set.h"
#include "core/windows/replacement.h"
#include "ports/async.h"

#include <map>
#include <string>
#include <vector>

namespace muster::windows {

// A job that could not stay as it was planned, and the jobs it goes on as: none of it is left when
// there are none.
struct replaced_job {
    std::string job;
    std::vector<std::string> by = {};
    std::string failed = {};  // why it stays as it was; empty: it went well

    friend bool operator==(const replaced_job&, const replaced_job&) = default;
};

// By the maintenance schedule whose windows changed.
using replanned_schedules = std::map<std::string, std::vector<replanned>>;

// What a change of calendars does to work that is planned already; known to whoever plans it.
class planned_jobs {
public:
    planned_jobs() = default;
    planned_jobs(const planned_jobs&) = delete;
    planned_jobs& operator=(const planned_jobs&) = delete;
    virtual ~planned_jobs() = default;

    // The starts planned within the windows of this schedule.
    virtual std::vector<planned_start> planned(const std::string& schedule) const = 0;
    virtual async<std::vector<replaced_job>> carry_out(
        replanned_schedules by, std::string user) = 0;
    // Takes back what is planned within windows for these systems, and tells which jobs it were.
    virtual async<std::vector<replaced_job>> cancel(
        fleet::system_set systems, std::string user) = 0;
};

}  // namespace muster::windows

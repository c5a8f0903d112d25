#pragma once

#include "base/time.h"
#include "core/model/job.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::jobs {

// The known facts about one task. Unknown facts are empty; the explanation is then shorter, never
// wrong.
struct task_situation {
    job_record job;
    std::optional<task_record> task;  // its record
    bool target = true;               // the system is a target of the job
    bool canary = false;
    bool in_fleet = true;  // the system is in the fleet
    bool attached = false;
    std::optional<wall_time> last_seen;          // of a detached system
    std::optional<std::string> node;             // current or last node
    std::optional<wall_time> window_opens;       // earliest start by its window
    std::optional<std::string> window_rule;      // why the window prevents a start now
    std::optional<wall_time> rest_start_time;    // end of the wait after the canaries
    std::string activity;                        // of a running task, reported by its agent
    std::optional<std::uint64_t> concurrency;    // maximum of running tasks of the job
    std::uint64_t running = 0;                   // running tasks of the job
    std::optional<std::uint64_t> failure_limit;  // of the job
    wall_time now;
};

struct explanation {
    task_state state = task_state::queued;
    std::string cause;     // for programs: "away", "window", …
    std::string sentence;  // for operators
};

// The first reason that blocks the task, in the order in which a node checks them.
explanation explain_task(const task_situation& situation);

}  // namespace muster::jobs

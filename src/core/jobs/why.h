#pragma once

#include "base/time.h"
#include "core/model/job.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::jobs {

// All that is known about one task when somebody asks why it is where it is. What is not known is
// left empty; the sentence then says less, never something else.
struct task_situation {
    job_record job;
    std::optional<task_record> task;  // what is on record of it
    bool target = true;               // whether the job is for this system at all
    bool canary = false;
    bool known = true;  // the system is (still) in the fleet
    bool attached = false;
    std::optional<wall_time> last_seen;           // of one that is away
    std::optional<std::string> node;              // that it is attached to, or was
    std::optional<wall_time> window_opens;        // it may start only from then on
    std::optional<std::string> window_rule;       // why it may not start now
    std::optional<wall_time> rest_starts;         // the canaries succeeded: so long it waits
    std::string where;                            // of one that runs, by its agent's word
    std::optional<std::uint64_t> places;          // tasks of the job that may run at once
    std::uint64_t running = 0;                    // tasks of the job that run
    std::optional<std::uint64_t> failures_borne;  // of the job
    wall_time now;
};

struct explanation {
    task_state state = task_state::queued;
    std::string cause;     // one word for programs: "away", "window", …
    std::string sentence;  // for people
};

// The first thing that keeps the task from going on, in the order in which a node looks at them.
explanation why(const task_situation& about);

}  // namespace muster::jobs

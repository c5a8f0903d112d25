#pragma once

#include "base/time.h"
#include "core/session/task_outcome.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::session {

// A chain is one task of several steps: the next one only when the one before succeeded. What is
// here is on disk before a step is begun, so whoever starts after a kill or a reboot knows which
// steps are done and which one may have been begun.

// What came of one step.
struct step_ending {
    task_outcome outcome = task_outcome::unknown;
    std::int32_t exit_code = 0;
    std::string reason;  // a sentence when it did not succeed
    std::string output;  // what its function gave back: JSON, or nothing
    bool truncated = false;
    std::chrono::microseconds took{};

    friend bool operator==(const step_ending&, const step_ending&) = default;
};

struct chain_progress {
    std::vector<task_nature> steps;  // of each; none: the task is no chain
    std::vector<step_ending> ended;  // in order, up to the one that failed
    bool begun = false;              // the next one may have been
    bool waits = false;              // it was, before the agent's start: a new boot ends it
    wall_time since;                 // it was begun

    friend bool operator==(const chain_progress&, const chain_progress&) = default;
};

// Nothing is left to run: all steps succeeded, or the last one that ended did not.
bool is_over(const chain_progress& chain);
// The step that is next or runs, or that failed; from one.
std::size_t step_of(const chain_progress& chain);
// "step 2 of 3"
std::string place_of(const chain_progress& chain);

// The step ended: what is next, not begun yet.
chain_progress after_step(chain_progress chain, step_ending step_ending);

struct restart_facts {
    bool other_boot = false;  // the machine was started anew since the step began
    bool may_run_again = false;
    wall_time now;
};
// What a start of the agent makes of a chain that was under way. A reboot is done on another boot
// and waited for on the same; what changes nothing is run again; anything else was interrupted,
// unless it may be run again.
chain_progress after_restart(chain_progress chain, const restart_facts& facts);

}  // namespace muster::session

#pragma once

#include "base/time.h"
#include "core/session/task_outcome.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::session {

// A chain is one task of several steps; a step starts only if the step before it succeeded. The
// progress is on disk before each step starts. So after a kill or a reboot the agent knows which
// steps are done, and which one may have been started.

// How one step ended.
struct step_result {
    task_outcome outcome = task_outcome::unknown;
    std::int32_t exit_code = 0;
    std::string reason;  // set if the step did not succeed
    std::string output;  // JSON that the function returned, or empty
    bool truncated = false;
    std::chrono::microseconds duration{};

    friend bool operator==(const step_result&, const step_result&) = default;
};

struct chain_progress {
    std::vector<task_nature> steps;    // one for each step; empty: the task is no chain
    std::vector<step_result> results;  // in order, up to the failed step
    bool begun = false;                // the next step may have been started
    bool awaits_boot =
        false;        // the step is a reboot of an earlier agent process; a new boot ends it
    wall_time since;  // when the step was started

    friend bool operator==(const chain_progress&, const chain_progress&) = default;
};

// No step is left to run: all succeeded, or one failed.
bool is_finished(const chain_progress& chain);
// The step that is next, runs, or failed; counted from one.
std::size_t current_step(const chain_progress& chain);
// "step 2 of 3"
std::string describe_step(const chain_progress& chain);

// The progress after the current step ended.
chain_progress after_step(chain_progress chain, step_result result);

struct restart_facts {
    bool rebooted = false;  // the machine booted since the step started
    bool may_run_again = false;
    wall_time now;
};
// The progress of an unfinished chain after a start of the agent. A reboot step is done after
// another boot; until then the chain waits for it. A harmless step, or a chain that may run again,
// repeats the step. Any other step counts as interrupted.
chain_progress after_restart(chain_progress chain, const restart_facts& facts);

}  // namespace muster::session

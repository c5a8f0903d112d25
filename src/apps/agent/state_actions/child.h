#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <map>
#include <string>

namespace muster::agent {

struct child_command {
    std::string command;                                  // for /bin/sh
    std::map<std::string, std::string> environment = {};  // added to the agent's
    monotonic::duration limit = std::chrono::seconds(60);
};

// Runs a command to its end. errc::unavailable with exit code and last output if it fails.
// errc::timed_out after the limit; then it and its children are killed.
async<void> run_child(muster::clock& clock, child_command command);

}  // namespace muster::agent

#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <map>
#include <string>

namespace muster::agent {

struct child_command {
    std::string command;                                  // for /bin/sh
    std::map<std::string, std::string> environment = {};  // added to ours
    monotonic::duration limit = std::chrono::seconds(60);
};

// Runs a command to its end. errc::unavailable with its exit code and the end of its output when it
// fails; errc::timed_out when the limit passed: it and whatever it started are then killed.
async<void> run_child(muster::clock& clock, child_command child_command);

}  // namespace muster::agent

#pragma once

#include "apps/command_line/command.h"
#include "apps/muster/cli/run_request.h"

namespace muster::cli {

// Adds the flags for start time and rollout to a command that creates jobs.
void add_rollout_flags(command_line::command& verb, run_flags& flags);

}  // namespace muster::cli

#pragma once

#include "apps/command_line/command.h"
#include "apps/muster/cli/run_request.h"

namespace muster::cli {

// The flags by which jobs say when they start and how they spread, for all commands that make some.
void add_rollout_flags(command_line::command& verb, run_flags& flags);

}  // namespace muster::cli

#pragma once

#include "base/result.h"
#include "runtime/settings/settings.h"

namespace muster::agent {

// Runs the agent until SIGTERM or SIGINT, or until the cluster deletes the system. Fails if it
// cannot start.
result<void> run_agent(const runtime::settings& settings);

}  // namespace muster::agent

#pragma once

#include "base/result.h"
#include "core/session/agent_tasks.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::agent {

// Writes the file that `muster-agent tasks` shows: a JSON array of running and waiting tasks,
// oldest first. The file is replaced atomically but not flushed: the agent does not need it.
result<void> write_task_list(
    const std::filesystem::path& file, std::vector<session::agent_tasks::view> tasks);

}  // namespace muster::agent

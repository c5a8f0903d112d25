#pragma once

#include "base/result.h"
#include "core/session/agent_tasks.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::agent {

// What `muster-agent tasks` shows: a JSON array of what runs and waits, oldest first. The file is
// replaced as a whole but not flushed to disk: it is for people, not for the agent.
result<void> write_task_list(
    const std::filesystem::path& file, std::vector<session::agent_tasks::view> tasks);

}  // namespace muster::agent

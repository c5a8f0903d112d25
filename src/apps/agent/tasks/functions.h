#pragma once

#include "core/session/agent_task.h"

#include <optional>
#include <string_view>

namespace muster::agent {

// Functions that an agent can run.
enum class function {
    ping,
    run_command,
    run_script,
    get_facts,
    update_agent,
    reboot,
    deploy_files,
    change_packages,
    refresh_packages,
    chain
};

std::optional<function> parse_function(std::string_view name);
// Unknown functions are harmless, because they are refused.
session::task_nature nature_of(std::string_view name);

}  // namespace muster::agent

#pragma once

#include "core/session/agent_task.h"

#include <optional>
#include <string_view>

namespace muster::agent {

// What an agent can be asked to do.
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
// Of an unknown function: harmless, because it is only refused.
session::task_nature nature_of(std::string_view name);

}  // namespace muster::agent

#pragma once

#include "apps/agent/settings/agent_settings.h"

#include <memory>
#include <optional>

namespace muster::command_line {
class command;
}

namespace muster::agent::cli {

// Adds --config and a flag for every setting to a command.
std::shared_ptr<settings_input> add_setting_flags(command_line::command& command);

// The effective settings; nullopt if there are problems, which are printed to standard error.
std::optional<runtime::settings> read_settings(const settings_input& input);

}  // namespace muster::agent::cli

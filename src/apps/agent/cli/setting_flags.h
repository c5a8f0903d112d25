#pragma once

#include "apps/agent/settings/agent_settings.h"

#include <memory>
#include <optional>

namespace muster::command_line {
class command;
}

namespace muster::agent::cli {

// Puts --config and a flag for every setting on a command.
std::shared_ptr<given_settings> add_setting_flags(command_line::command& command);

// The settings in force; nothing when there are problems, which are then on standard error.
std::optional<runtime::settings> settings_or_problems(const given_settings& given_settings);

}  // namespace muster::agent::cli

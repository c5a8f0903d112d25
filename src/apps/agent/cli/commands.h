#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster::command_line {
class command;
}

namespace muster::agent::cli {

enum class exit_code { ok = 0, failed = 1, usage = 2 };
using chosen_action = std::function<exit_code()>;

// Parses and runs `muster-agent …`.
exit_code run_command_line(std::vector<std::string> words);

// Each command has its own file: it adds its flags and, if chosen, sets the action.
void add_run(command_line::command& root, chosen_action& chosen);
void add_status(command_line::command& root, chosen_action& chosen);
void add_tasks(command_line::command& root, chosen_action& chosen);
void add_facts(command_line::command& root, chosen_action& chosen);
void add_config(command_line::command& root, chosen_action& chosen);
void add_version(command_line::command& root, chosen_action& chosen);

}  // namespace muster::agent::cli

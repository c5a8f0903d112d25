#pragma once

#include "apps/muster/cli/exit_code.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace muster::command_line {
class command;
}

namespace muster::cli {

// The action of a command once its flags are parsed.
using action = std::function<exit_code()>;

// Adds a command with its flags and texts to the parser; sets the action if it is chosen.
using command = void (*)(command_line::command& root, action& chosen);

// Parses and runs `muster …`. Suggests the nearest known name for a wrong flag or command.
exit_code run_command_line(std::span<const command> commands, std::vector<std::string> arguments);

// The commands of the program `muster`, in the order of its help.
std::span<const command> all_commands();

// One file for each command or group of related commands.
void add_serve(command_line::command& root, action& chosen);
void add_login(command_line::command& root, action& chosen);
void add_logout(command_line::command& root, action& chosen);
void add_whoami(command_line::command& root, action& chosen);
void add_password(command_line::command& root, action& chosen);
void add_nodes(command_line::command& root, action& chosen);
void add_zones(command_line::command& root, action& chosen);
void add_keys(command_line::command& root, action& chosen);
void add_systems(command_line::command& root, action& chosen);
void add_search(command_line::command& root, action& chosen);
void add_groups(command_line::command& root, action& chosen);
void add_windows(command_line::command& root, action& chosen);
void add_revisions(command_line::command& root, action& chosen);
void add_schedules(command_line::command& root, action& chosen);
void add_run(command_line::command& root, action& chosen);
void add_apply(command_line::command& root, action& chosen);
void add_jobs(command_line::command& root, action& chosen);
void add_job(command_line::command& root, action& chosen);
void add_why(command_line::command& root, action& chosen);
void add_events(command_line::command& root, action& chosen);
void add_webhooks(command_line::command& root, action& chosen);
void add_top(command_line::command& root, action& chosen);
void add_cluster(command_line::command& root, action& chosen);
void add_users(command_line::command& root, action& chosen);
void add_roles(command_line::command& root, action& chosen);
void add_tokens(command_line::command& root, action& chosen);
void add_sessions(command_line::command& root, action& chosen);
void add_audit(command_line::command& root, action& chosen);
void add_archive(command_line::command& root, action& chosen);
void add_config(command_line::command& root, action& chosen);
void add_completion(command_line::command& root, action& chosen);
void add_man(command_line::command& root, action& chosen);
void add_version(command_line::command& root, action& chosen);

}  // namespace muster::cli

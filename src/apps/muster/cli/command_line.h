#pragma once

#include "apps/muster/cli/exit_code.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace muster::cli {

// What a command does once its flags are known.
using action = std::function<exit_code()>;

// One command: puts its flags and texts on the parser and, when chosen, sets the action.
using command = void (*)(CLI::App& root, action& chosen);

// Parses and runs `muster …`. A wrong flag or command is answered with the nearest known one.
exit_code run_command_line(std::span<const command> commands, std::vector<std::string> words);

// Each in a file of its own.
void add_serve(CLI::App& root, action& chosen);
void add_login(CLI::App& root, action& chosen);
void add_nodes(CLI::App& root, action& chosen);
void add_zones(CLI::App& root, action& chosen);
void add_keys(CLI::App& root, action& chosen);
void add_systems(CLI::App& root, action& chosen);
void add_search(CLI::App& root, action& chosen);
void add_groups(CLI::App& root, action& chosen);
void add_windows(CLI::App& root, action& chosen);
void add_schedules(CLI::App& root, action& chosen);
void add_run(CLI::App& root, action& chosen);
void add_jobs(CLI::App& root, action& chosen);
void add_job(CLI::App& root, action& chosen);
void add_why(CLI::App& root, action& chosen);
void add_top(CLI::App& root, action& chosen);
void add_cluster(CLI::App& root, action& chosen);
void add_config(CLI::App& root, action& chosen);
void add_version(CLI::App& root, action& chosen);

}  // namespace muster::cli

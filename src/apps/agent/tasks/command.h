#pragma once

#include "apps/agent/process/child_process.h"
#include "core/session/agent_task.h"

#include <filesystem>
#include <set>
#include <string>

namespace muster::agent {

// A program to run for a task.
struct command {
    process_options process;
    std::set<int> success_codes{0};
    std::size_t output_max = 0;
    std::filesystem::path script;    // removed when the program ended; empty: none
    std::filesystem::path replaces;  // file that `script` replaces on success; empty: none
};

struct command_limits {
    std::size_t output_max = std::size_t{1024} * 1024;  // default of a task
    static constexpr std::size_t output_bytes_limit = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t words_max = 4096;
    static constexpr std::size_t variables_max = 1000;
};

// cmd.run: `cmd` is a shell command line, or a list (as is `argv`): a program and its arguments.
// Other arguments: cwd, env, user (or runas), group, umask, shell, stdin, success_codes (or
// success_retcodes), output_max.
result<command> parse_command(const session::task_request& task, const command_limits& limits);

// script.run: writes `content` to a file in `directory` (mode 0700, owned by its user). It is run
// by `interpreter`, by its #! line or by /bin/sh, with `args`. Other arguments as for cmd.run.
result<command> parse_script(
    const session::task_request& task,
    const command_limits& limits,
    const std::filesystem::path& directory);

// Removes scripts that an earlier run of the agent left behind.
void remove_scripts(const std::filesystem::path& directory);

}  // namespace muster::agent

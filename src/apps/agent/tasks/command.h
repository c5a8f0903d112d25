#pragma once

#include "apps/agent/process/child_process.h"
#include "core/session/agent_task.h"

#include <filesystem>
#include <set>
#include <string>

namespace muster::agent {

// A program that a task wants to be run.
struct command {
    process_options process;
    std::set<int> success_codes{0};
    std::size_t output_max = 0;
    std::filesystem::path script;          // to be removed when it has ended; empty: none
    std::filesystem::path takes_place_of;  // the script's file does, when it ends well
};

struct command_limits {
    std::size_t output_max = std::size_t{1024} * 1024;  // unless the task says otherwise
    static constexpr std::size_t output_most = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t words_max = 4096;
    static constexpr std::size_t variables_max = 1000;
};

// cmd.run: `cmd` is a line for the shell, or (as `argv` is) a list: a program and its arguments.
// Further: cwd, env, user (or runas), group, umask, shell, stdin, success_codes (or
// success_retcodes), output_max.
result<command> parse_command(const session::task_order& task, const command_limits& limits);

// script.run: `content` is written to a file of its own in `directory` (mode 0700, owned by the
// user it runs as) and run by `interpreter`, by its own #! line, or by /bin/sh, with `args`.
// Otherwise as cmd.run.
result<command> parse_script(
    const session::task_order& task,
    const command_limits& limits,
    const std::filesystem::path& directory);

// Scripts that the last run of the agent left.
void remove_scripts(const std::filesystem::path& directory);

}  // namespace muster::agent

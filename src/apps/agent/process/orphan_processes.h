#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

// Identifies a started program, so that its processes are found after the agent was killed. The
// program's leader dies with the agent; its children do not.
struct process_identity {
    pid_t leader = 0;           // of the program's session
    std::uint64_t started = 0;  // ticks since the boot of the machine
    std::string boot;           // boot id of the machine
    std::string variable;       // NAME=VALUE that all children inherit; empty: none

    friend bool operator==(const process_identity&, const process_identity&) = default;
};

// nullopt if the process does not exist. `proc` is /proc.
std::optional<process_identity> find_process_identity(
    pid_t leader,
    const std::string& boot,
    std::string variable,
    const std::filesystem::path& proc = "/proc");

std::string encode(const process_identity& identity);
result<process_identity> decode_process_identity(std::string_view text);  // errc::corrupt

// Kills the remaining processes of the session and returns their number; repeat until it is 0. A
// process number alone proves nothing, because numbers are reused. The leader must have the same
// start time; others must be younger and have the variable.
std::size_t kill_orphans(
    const process_identity& identity,
    const std::string& boot,
    const std::filesystem::path& proc = "/proc");

}  // namespace muster::agent

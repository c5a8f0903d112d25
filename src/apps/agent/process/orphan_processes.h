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

// A program that was started, by what it can be known again after the agent was killed. Its leader
// dies with the agent; what the leader started does not.
struct process_identity {
    pid_t leader = 0;           // of the session it runs in
    std::uint64_t started = 0;  // in ticks since the machine's boot
    std::string boot;           // of the machine
    std::string variable;       // NAME=VALUE that everything it starts inherits; empty: none

    friend bool operator==(const process_identity&, const process_identity&) = default;
};

// `proc` is /proc. Nothing when the process is not there any more.
std::optional<process_identity> mark_of(
    pid_t leader,
    const std::string& boot,
    std::string variable,
    const std::filesystem::path& proc = "/proc");

std::string encode(const process_identity& mark);
result<process_identity> decode_mark(std::string_view text);  // errc::corrupt

// Kills what is left of its session, and only that: the leader if it began when the mark says so,
// others if they began no earlier and have the variable. A number alone proves nothing, it may be
// somebody else's by now. How many there were; look again until there are none.
std::size_t kill_leftovers(
    const process_identity& mark,
    const std::string& boot,
    const std::filesystem::path& proc = "/proc");

}  // namespace muster::agent

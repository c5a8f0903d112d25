#pragma once

#include "base/result.h"
#include "base/time.h"

#include <filesystem>
#include <optional>
#include <string>

namespace muster::agent {

// The state of the agent as `muster-agent status` shows it.
struct agent_status {
    std::string fingerprint;
    std::string name;
    std::string state;  // "starting", "new", "orphan", "onboarded", "deleted" or "stopped"
    std::string node;   // address of the node it is attached to; empty: none
    wall_time since;    // start of this state
    std::string last_error;
    std::optional<wall_time> next_attempt;
    std::string round_trip;  // of beats to the node; empty: not measured yet

    friend bool operator==(const agent_status&, const agent_status&) = default;
};

// Replaces the file atomically, without flushing: the agent does not need it.
result<void> write_status(const std::filesystem::path& file, const agent_status& status);
// The content of the file: a JSON object.
result<std::string> read_status(const std::filesystem::path& file);

}  // namespace muster::agent

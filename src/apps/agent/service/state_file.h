#pragma once

#include "base/result.h"
#include "base/time.h"

#include <filesystem>
#include <optional>
#include <string>

namespace muster::agent {

// What `muster-agent status` shows: how the agent last saw itself.
struct agent_status {
    std::string fingerprint;
    std::string name;
    std::string state;  // "starting", "new", "orphan", "onboarded", "deleted" or "stopped"
    std::string node;   // the address of the node it is attached to; empty: none
    wall_time since;    // when it came into this state
    std::string last_error;
    std::optional<wall_time> next_attempt;
    std::string round_trip;  // of beats to the node; empty: not measured yet

    friend bool operator==(const agent_status&, const agent_status&) = default;
};

// The file is replaced as a whole but not flushed to disk: it is for people, not for the agent.
result<void> write_status(const std::filesystem::path& file, const agent_status& now);
// As the file has it: a JSON object.
result<std::string> read_status(const std::filesystem::path& file);

}  // namespace muster::agent

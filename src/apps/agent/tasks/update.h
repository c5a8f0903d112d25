#pragma once

#include "adapters/pki/key.h"
#include "apps/agent/tasks/command.h"

#include <filesystem>
#include <optional>

namespace muster::agent {

struct update_options {
    std::optional<pki::public_key> key;  // whose signature is believed; nothing: no updates
    std::filesystem::path program;       // that this agent was started from
};

inline constexpr std::size_t update_bytes_max = std::size_t{64} * 1024 * 1024;

// agent.update: `path` is a file on this machine, `sha256` its digest and `signature` the update
// key's signature over the 32 bytes of the digest, both in hexadecimal. The file is copied beside
// the program and flushed; the command asks it for its version, and only when it answers well it
// takes the program's place.
result<command> parse_update(
    const session::task_order& task, const command_limits& limits, const update_options& how);

}  // namespace muster::agent

#pragma once

#include "adapters/pki/key.h"
#include "apps/agent/tasks/command.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

struct update_options {
    std::optional<pki::public_key> key;    // whose signature is believed; nothing: no updates
    std::filesystem::path program;         // that this agent was started from
    std::string version = MUSTER_VERSION;  // of it
};

inline constexpr std::size_t update_bytes_max = std::size_t{64} * 1024 * 1024;

// agent.update: `path` is a file on this machine, `sha256` its digest, `version` what it is, and
// `signature` the update key's signature over what signed_statement() makes of them; digest and
// signature in hexadecimal. A version older than this agent's is taken only with `downgrade`, which
// is signed as well: what was signed once cannot be used later to bring old mistakes back.
//
// The file is copied beside the program and flushed; the command asks it for its version, and only
// when it answers well it takes the program's place.
result<command> parse_update(
    const session::task_order& task, const command_limits& limits, const update_options& options);

// The 32 bytes of the digest, the version's text, and " downgrade" if it may be an older one.
std::string signed_statement(std::string digest, std::string_view version, bool downgrade);

}  // namespace muster::agent

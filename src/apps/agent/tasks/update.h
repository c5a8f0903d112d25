#pragma once

#include "adapters/pki/key.h"
#include "apps/agent/tasks/command.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

struct update_options {
    std::optional<pki::public_key> key;    // verifies updates; nullopt: updates are refused
    std::filesystem::path program;         // file of the running agent
    std::string version = MUSTER_VERSION;  // of the running agent
};

inline constexpr std::size_t update_bytes_max = std::size_t{64} * 1024 * 1024;

// agent.update: `path` is a file on this machine, `sha256` its digest and `version` its version.
// `signature` is the update key's signature of signed_statement(). Digest and signature are
// hexadecimal. An older version needs `downgrade`, which is signed, too: an old signature cannot
// bring old bugs back.
//
// The file is copied beside the program and flushed. The command runs it with "version"; it
// replaces the program only on success.
result<command> parse_update(
    const session::task_request& task, const command_limits& limits, const update_options& options);

// The 32 bytes of the digest, the version, and " downgrade" if an older version is allowed.
std::string signed_statement(std::string digest, std::string_view version, bool downgrade);

}  // namespace muster::agent

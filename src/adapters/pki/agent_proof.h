#pragma once

#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster::pki {

// The TLS exporter value of one connection (RFC 9266): known to both ends only, and different on
// every connection.
using channel_binding = std::array<char, 32>;

// An agent proves its identity by signing the connection's exporter value with its Ed25519 key. The
// proof is valid on that connection only.
//
// 32 bytes of public key followed by 64 bytes of signature.
inline constexpr std::size_t agent_proof_size = 96;
result<std::string> create_agent_proof(const private_key& agent, const channel_binding& binding);

// Returns the agent's fingerprint. errc::denied if the proof is not valid on this connection;
// errc::invalid if it is malformed.
result<fingerprint> verify_agent_proof(const channel_binding& binding, std::string_view proof);

// The same as an HTTP header: `Authorization: Muster ` and the proof in base64.
result<std::string> create_agent_authorization(
    const private_key& agent, const channel_binding& binding);

result<fingerprint> verify_agent_authorization(
    const channel_binding& binding, std::string_view authorization);

}  // namespace muster::pki

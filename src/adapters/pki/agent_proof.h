#pragma once

#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster::pki {

// The TLS exporter value of one connection (RFC 9266): both ends know it, nobody else does, and no
// other connection has the same.
using channel_binding = std::array<char, 32>;

// How an agent proves who it is: it signs the connection's exporter value with its Ed25519 key.
// The proof is worth nothing on any other connection.
//
// 32 bytes of public key followed by 64 bytes of signature.
inline constexpr std::size_t agent_proof_size = 96;
result<std::string> make_agent_proof(const private_key& agent, const channel_binding& connection);

// The fingerprint of the agent whose proof this is. errc::denied for a proof that does not hold on
// this connection, errc::invalid for what is not a proof at all.
result<fingerprint> proven_agent(const channel_binding& connection, std::string_view proof);

// The same as a header: `Authorization: Muster ` and the base64 of the proof.
result<std::string> make_agent_authorization(
    const private_key& agent, const channel_binding& connection);

result<fingerprint> authenticated_agent(
    const channel_binding& connection, std::string_view authorization);

}  // namespace muster::pki

#include "adapters/pki/agent_proof.h"

#include "adapters/pki/base64.h"

#include <sodium/crypto_sign_ed25519.h>

namespace muster::pki {
namespace {

constexpr std::string_view scheme = "Muster ";

// Names what the signature is for, so that it cannot be taken for one over anything else.
std::string signed_text(const channel_binding& connection) {
    std::string text("muster agent channel binding 1\n");
    text.append(connection.data(), connection.size());
    return text;
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// A node checks one at each attach, where libsodium takes half the time that OpenSSL does.
bool is_signed(std::string_view key, std::string_view message, std::string_view signature) {
    return ::crypto_sign_ed25519_verify_detached(
               bytes_of(signature), bytes_of(message), message.size(), bytes_of(key))
           == 0;
}

}  // namespace

result<std::string> make_agent_proof(const private_key& agent, const channel_binding& connection) {
    TRY(std::string proof, agent.public_half().ed25519_bytes());
    TRY(const std::string signature, agent.sign(signed_text(connection)));
    proof += signature;
    return proof;
}

result<fingerprint> proven_agent(const channel_binding& connection, std::string_view proof) {
    if (proof.size() != agent_proof_size)
        return fail(errc::invalid, "a proof is 32 bytes of public key and 64 of signature");
    const auto key = proof.substr(0, public_key::ed25519_size);
    if (!is_signed(key, signed_text(connection), proof.substr(public_key::ed25519_size)))
        return fail(errc::denied, "the signature does not fit");
    return ed25519_fingerprint(key);
}

result<std::string> make_agent_authorization(
    const private_key& agent, const channel_binding& connection) {
    TRY(const std::string proof, make_agent_proof(agent, connection));
    return std::string(scheme) + to_base64(proof);
}

result<fingerprint> authenticated_agent(
    const channel_binding& connection, std::string_view authorization) {
    if (!authorization.starts_with(scheme))
        return fail(errc::invalid, "the Authorization header must start with 'Muster '");
    TRY(const std::string proof, from_base64(authorization.substr(scheme.size())));
    return proven_agent(connection, proof);
}

}  // namespace muster::pki

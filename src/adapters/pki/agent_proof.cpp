#include "adapters/pki/agent_proof.h"

#include "adapters/pki/base64.h"

#include <sodium/crypto_sign_ed25519.h>

namespace muster::pki {
namespace {

constexpr std::string_view scheme = "Muster ";

// The prefix names the purpose, so that the signature is useless for anything else.
std::string signed_text(const channel_binding& binding) {
    std::string text("muster agent channel binding 1\n");
    text.append(binding.data(), binding.size());
    return text;
}

const unsigned char* as_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Nodes verify a proof at each attach; libsodium needs half the time of OpenSSL.
bool is_signed(std::string_view key, std::string_view message, std::string_view signature) {
    return ::crypto_sign_ed25519_verify_detached(
               as_bytes(signature), as_bytes(message), message.size(), as_bytes(key))
           == 0;
}

}  // namespace

result<std::string> create_agent_proof(const private_key& agent, const channel_binding& binding) {
    TRY(std::string proof, agent.public_half().ed25519_bytes());
    TRY(const std::string signature, agent.sign(signed_text(binding)));
    proof += signature;
    return proof;
}

result<fingerprint> verify_agent_proof(const channel_binding& binding, std::string_view proof) {
    if (proof.size() != agent_proof_size)
        return fail(
            errc::invalid, "agent proof must have 32 bytes of public key and 64 of signature");
    const auto key = proof.substr(0, public_key::ed25519_size);
    if (!is_signed(key, signed_text(binding), proof.substr(public_key::ed25519_size)))
        return fail(errc::denied, "signature does not match");
    return ed25519_fingerprint(key);
}

result<std::string> create_agent_authorization(
    const private_key& agent, const channel_binding& binding) {
    TRY(const std::string proof, create_agent_proof(agent, binding));
    return std::string(scheme) + to_base64(proof);
}

result<fingerprint> verify_agent_authorization(
    const channel_binding& binding, std::string_view authorization) {
    if (!authorization.starts_with(scheme))
        return fail(errc::invalid, "Authorization header must start with \"Muster \"");
    TRY(const std::string proof, from_base64(authorization.substr(scheme.size())));
    return verify_agent_proof(binding, proof);
}

}  // namespace muster::pki

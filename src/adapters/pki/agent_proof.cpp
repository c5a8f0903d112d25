#include "adapters/pki/agent_proof.h"

#include "adapters/pki/base64.h"

namespace muster::pki {
namespace {

constexpr std::string_view scheme = "Muster ";

// Names what the signature is for, so that it cannot be taken for one over anything else.
std::string signed_text(const channel_binding& connection) {
    std::string text("muster agent channel binding 1\n");
    text.append(connection.data(), connection.size());
    return text;
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
    TRY(const public_key agent, public_key::from_ed25519_bytes(key));
    CHECK_OK(agent.verify(signed_text(connection), proof.substr(public_key::ed25519_size)));
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

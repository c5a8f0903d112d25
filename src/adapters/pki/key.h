#pragma once

#include "adapters/pki/openssl.h"
#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace muster::pki {

enum class key_kind {
    p256,     // servers and the cluster's CA: supported by every TLS client
    ed25519,  // agents: signs connections
};

// A public key. Immutable and cheap to copy.
class public_key {
public:
    static constexpr std::size_t ed25519_size = 32;

    static result<public_key> from_pem(std::string_view pem);
    static result<public_key> from_ed25519_bytes(std::string_view bytes);
    explicit public_key(owned_pkey key) : key_(std::move(key)) {}

    std::string to_pem() const;
    result<std::string> ed25519_bytes() const;

    // errc::denied if the signature does not match.
    result<void> verify(std::string_view message, std::string_view signature) const;

private:
    std::shared_ptr<EVP_PKEY> key_;
};

// A private key. Immutable and cheap to copy; never printed.
class private_key {
public:
    static result<private_key> create(key_kind kind);
    static result<private_key> from_pem(std::string_view pem);
    // For load tests that derive keys from a seed.
    static result<private_key> from_ed25519_bytes(std::string_view bytes);

    std::string to_pem() const;
    public_key public_half() const;

    // Ed25519 keys sign the message itself, P-256 keys its SHA-256.
    result<std::string> sign(std::string_view message) const;

    EVP_PKEY* native() const { return key_.get(); }

private:
    explicit private_key(owned_pkey key) : key_(std::move(key)) {}

    std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace muster::pki

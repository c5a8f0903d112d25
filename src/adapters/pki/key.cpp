#include "adapters/pki/key.h"

#include "base/assert.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace muster::pki {
namespace {

const unsigned char* as_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* as_bytes(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

// Ed25519 needs no digest.
const EVP_MD* digest_for(const EVP_PKEY* key) {
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 ? nullptr : EVP_sha256();
}

// Prevents a pass phrase prompt on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) {
    return -1;
}

}  // namespace

result<public_key> public_key::from_pem(std::string_view pem) {
    const owned_bio input = open_bio(pem);
    owned_pkey key(PEM_read_bio_PUBKEY(input.get(), nullptr, no_passphrase, nullptr));
    if (!key) return fail(openssl_error(errc::invalid, "not a PEM public key"));
    return public_key(std::move(key));
}

result<public_key> public_key::from_ed25519_bytes(std::string_view bytes) {
    if (bytes.size() != ed25519_size)
        return fail(errc::invalid, "Ed25519 public key must have 32 bytes");
    owned_pkey key(
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, as_bytes(bytes), bytes.size()));
    if (!key) return fail(openssl_error(errc::invalid, "not an Ed25519 public key"));
    return public_key(std::move(key));
}

std::string public_key::to_pem() const {
    const owned_bio output(BIO_new(BIO_s_mem()));
    MUSTER_ASSERT(PEM_write_bio_PUBKEY(output.get(), key_.get()) == 1);
    return std::string(bio_content(output.get()));
}

result<std::string> public_key::ed25519_bytes() const {
    if (EVP_PKEY_get_base_id(key_.get()) != EVP_PKEY_ED25519)
        return fail(errc::invalid, "not an Ed25519 key");
    std::string bytes(ed25519_size, '\0');
    std::size_t size = bytes.size();
    MUSTER_ASSERT(EVP_PKEY_get_raw_public_key(key_.get(), as_bytes(bytes), &size) == 1);
    return bytes;
}

result<void> public_key::verify(std::string_view message, std::string_view signature) const {
    const owned_digest context(EVP_MD_CTX_new());
    const bool valid =
        EVP_DigestVerifyInit(context.get(), nullptr, digest_for(key_.get()), nullptr, key_.get())
            == 1
        && EVP_DigestVerify(
               context.get(),
               as_bytes(signature),
               signature.size(),
               as_bytes(message),
               message.size())
               == 1;
    ERR_clear_error();
    if (!valid) return fail(errc::denied, "signature does not match the key");
    return {};
}

result<private_key> private_key::create(key_kind kind) {
    owned_pkey key;
    switch (kind) {
        case key_kind::p256:
            key.reset(EVP_EC_gen("P-256"));
            break;
        case key_kind::ed25519:
            key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
            break;
    }
    if (!key) return fail(openssl_error(errc::unavailable, "creating a key"));
    return private_key(std::move(key));
}

result<private_key> private_key::from_pem(std::string_view pem) {
    const owned_bio input = open_bio(pem);
    owned_pkey key(PEM_read_bio_PrivateKey(input.get(), nullptr, no_passphrase, nullptr));
    if (!key) {
        return fail(openssl_error(errc::invalid, "not an unencrypted PEM private key"));
    }
    return private_key(std::move(key));
}

result<private_key> private_key::from_ed25519_bytes(std::string_view bytes) {
    owned_pkey key(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, as_bytes(bytes), bytes.size()));
    if (!key) return fail(openssl_error(errc::invalid, "Ed25519 private key must have 32 bytes"));
    return private_key(std::move(key));
}

std::string private_key::to_pem() const {
    const owned_bio output(BIO_new(BIO_s_mem()));
    const int done = PEM_write_bio_PKCS8PrivateKey(
        output.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    MUSTER_ASSERT(done == 1);
    return std::string(bio_content(output.get()));
}

public_key private_key::public_half() const {
    const owned_bio output(BIO_new(BIO_s_mem()));
    MUSTER_ASSERT(PEM_write_bio_PUBKEY(output.get(), key_.get()) == 1);
    auto half = pki::public_key::from_pem(bio_content(output.get()));
    MUSTER_ASSERT(half.has_value());
    return *std::move(half);
}

result<std::string> private_key::sign(std::string_view message) const {
    const owned_digest context(EVP_MD_CTX_new());
    std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
    std::size_t size = signature.size();
    const bool done =
        EVP_DigestSignInit(context.get(), nullptr, digest_for(key_.get()), nullptr, key_.get()) == 1
        && EVP_DigestSign(
               context.get(), as_bytes(signature), &size, as_bytes(message), message.size())
               == 1;
    if (!done) return fail(openssl_error(errc::unavailable, "signing"));
    signature.resize(size);
    return signature;
}

}  // namespace muster::pki

#pragma once

#include "adapters/pki/authority.h"
#include "adapters/pki/certificate.h"
#include "adapters/pki/fingerprint.h"
#include "base/result.h"

#include <openssl/ssl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::net {

// TLS settings of all connections: version 1.3 only, no session cache, one stateless ticket for
// HTTP and none for agent connections. Idle connections release their buffers.

using owned_ssl_context = std::unique_ptr<SSL_CTX, pki::freed_by<SSL_CTX_free>>;

enum class client_certificates {
    ignored,   // not requested
    optional,  // requested; an invalid one ends the handshake
    required,  // no handshake without one
};

// The server's TLS context. Immutable: a new certificate needs a new tls_server.
class tls_server {
public:
    // Shown instead to clients that announce that they trust `authority`.
    struct alternative_identity {
        pki::identity identity;
        pki::certificate authority;
    };

    struct options {
        pki::identity identity;
        std::optional<alternative_identity> alternative = std::nullopt;
        std::vector<std::string> protocols;  // ALPN, in order of preference
        client_certificates clients = client_certificates::ignored;
        std::vector<pki::certificate> client_authorities = {};  // CAs of client certificates
    };

    static result<std::shared_ptr<const tls_server>> create(options options);

    SSL_CTX* native() const { return context_.get(); }

private:
    tls_server() = default;

    static int choose_identity(SSL* connection, void* alternative);

    owned_ssl_context context_;
    std::optional<alternative_identity> alternative_;
    std::string protocols_;  // in TLS format: each with its size in front
};

// Holds the current TLS context. replace() affects later connections only. Thread-safe.
class rotating_tls_server {
public:
    explicit rotating_tls_server(std::shared_ptr<const tls_server> first)
        : current_(std::move(first)) {}

    void replace(std::shared_ptr<const tls_server> next);
    std::shared_ptr<const tls_server> current() const;

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const tls_server> current_;
};

// Trust certificates signed by one of these CAs.
struct trusted_authorities {
    std::vector<pki::certificate> certificates;
};

// Trust certificates signed by the CA with this fingerprint; the server sends the CA certificate.
struct pinned_authority {
    pki::fingerprint fingerprint;
};

using trust = std::variant<trusted_authorities, pinned_authority>;

// The client's TLS context. Checks the server's name on every connection. Immutable.
class tls_client {
public:
    struct options {
        trust trusted;
        std::vector<std::string> protocols;                    // ALPN
        std::optional<pki::identity> identity = std::nullopt;  // for mutual TLS
        bool announces_authorities = false;  // for cluster servers, which may have two certificates
    };

    static result<std::shared_ptr<const tls_client>> create(options options);

    SSL_CTX* native() const { return context_.get(); }

private:
    tls_client() = default;

    owned_ssl_context context_;
    std::optional<pki::fingerprint> pinned_;
};

}  // namespace muster::net

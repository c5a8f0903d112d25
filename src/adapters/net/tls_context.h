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

// What TLS looks like everywhere in muster: version 1.3 only, one stateless ticket for HTTP and
// none for channels, no session cache, buffers given back while a connection is idle.

using owned_ssl_context = std::unique_ptr<SSL_CTX, pki::freed_by<SSL_CTX_free>>;

enum class client_certificates {
    ignored,   // not asked for
    welcome,   // asked for; one that does not verify ends the handshake, none is fine
    required,  // no handshake without one
};

// The server's side. Never changes: a new certificate is a new tls_server.
class tls_server {
public:
    // Shown instead to clients that say that they believe this authority.
    struct other_identity {
        pki::identity own;
        pki::certificate authority;
    };

    struct options {
        pki::identity own;
        std::optional<other_identity> for_believers = std::nullopt;
        std::vector<std::string> protocols;  // ALPN, in order of preference
        client_certificates clients = client_certificates::ignored;
        std::vector<pki::certificate> client_authorities = {};  // who may sign clients
    };

    static result<std::shared_ptr<const tls_server>> make(options options);

    SSL_CTX* native() const { return context_.get(); }

private:
    tls_server() = default;

    static int choose_identity(SSL* connection, void* ours);

    owned_ssl_context context_;
    std::optional<other_identity> for_believers_;
    std::string protocols_;  // as TLS writes them: each with its size in front
};

// The server's side as it is now; replacing it serves all later connections with the new
// certificate and leaves running ones alone. Thread-safe.
class rotating_tls_server {
public:
    explicit rotating_tls_server(std::shared_ptr<const tls_server> first)
        : current_(std::move(first)) {}

    void replace(std::shared_ptr<const tls_server> next);
    std::shared_ptr<const tls_server> current() const;

private:
    mutable std::mutex guard_;
    std::shared_ptr<const tls_server> current_;
};

// Trust whatever these have signed.
struct trusted_authorities {
    std::vector<pki::certificate> certificates;
};

// Trust what the one CA with this fingerprint has signed; the server sends the CA along.
struct pinned_authority {
    pki::fingerprint print;
};

using trust = std::variant<trusted_authorities, pinned_authority>;

// The client's side. The server's name is checked on every connection.
class tls_client {
public:
    struct options {
        trust trusted;
        std::vector<std::string> protocols;               // ALPN
        std::optional<pki::identity> own = std::nullopt;  // for mutual TLS
        bool tells_trusted = false;  // the server is of a cluster and may have two certificates
    };

    static result<std::shared_ptr<const tls_client>> make(options options);

    SSL_CTX* native() const { return context_.get(); }

private:
    tls_client() = default;

    owned_ssl_context context_;
    std::optional<pki::fingerprint> pinned_;
};

}  // namespace muster::net

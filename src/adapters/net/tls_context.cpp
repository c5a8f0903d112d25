#include "adapters/net/tls_context.h"

#include "adapters/net/authority_names.h"
#include "base/assert.h"

#include <openssl/x509_vfy.h>

#include <csignal>
#include <utility>

namespace muster::net {
namespace {

// OpenSSL calls write(2): without this, a closed peer would end the process with SIGPIPE.
void ignore_sigpipe() {
    static const auto before = std::signal(SIGPIPE, SIG_IGN);
    static_cast<void>(before);
}

result<owned_ssl_context> create_context(const SSL_METHOD* method) {
    ignore_sigpipe();
    owned_ssl_context context(SSL_CTX_new(method));
    if (!context) return fail(pki::openssl_error(errc::unavailable, "creating a TLS context"));
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    SSL_CTX_set_mode(
        context.get(),
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
            | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    // SHA-256 has hardware support; the SHA-384 of OpenSSL's first choice has none and costs about
    // 25 us per handshake. The client's order decides, so agents get this suite.
    constexpr auto suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
    if (SSL_CTX_set_ciphersuites(context.get(), suites) != 1)
        return fail(pki::openssl_error(errc::unavailable, "choosing cipher suites"));
    // One read(2) per record instead of two.
    SSL_CTX_set_read_ahead(context.get(), 1);
    return context;
}

result<void> use_identity(SSL_CTX* context, const pki::identity& identity) {
    MUSTER_ASSERT(!identity.chain.empty());
    bool done = SSL_CTX_use_certificate(context, identity.chain.front().native()) == 1
                && SSL_CTX_use_PrivateKey(context, identity.key.native()) == 1;
    for (std::size_t index = 1; done && index < identity.chain.size(); ++index)
        done = SSL_CTX_add1_chain_cert(context, identity.chain[index].native()) == 1;
    if (!done) return fail(pki::openssl_error(errc::invalid, "using the certificate and key"));
    return {};
}

result<void> trust_authorities(SSL_CTX* context, const std::vector<pki::certificate>& trusted) {
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    for (const auto& authority : trusted) {
        if (X509_STORE_add_cert(store, authority.native()) != 1)
            return fail(pki::openssl_error(errc::invalid, "adding a trusted CA"));
    }
    return {};
}

result<std::string> protocol_list(const std::vector<std::string>& protocols) {
    constexpr std::size_t protocol_size_max = 255;
    std::string list;
    for (const auto& protocol : protocols) {
        if (protocol.empty() || protocol.size() > protocol_size_max)
            return fail(errc::invalid, "ALPN protocol must have 1 to 255 characters");
        list += static_cast<char>(protocol.size());
        list += protocol;
    }
    return list;
}

const unsigned char* as_bytes(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Browsers resume sessions. Agent connections last for days and do not: a ticket would be 5 % of
// the cost of attaching.
constexpr std::string_view resumed_protocol = "http/1.1";

// OpenSSL defines the parameters.
int choose_protocol(  // NOLINT(readability-function-size)
    SSL* connection,
    const unsigned char** chosen,
    unsigned char* chosen_size,
    const unsigned char* offered,
    unsigned offered_size,
    void* protocols) {
    const auto& list = *static_cast<const std::string*>(protocols);
    unsigned char* selected = nullptr;
    const int outcome = SSL_select_next_proto(
        &selected,
        chosen_size,
        as_bytes(list),
        static_cast<unsigned>(list.size()),
        offered,
        offered_size);
    if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = selected;
    const std::string_view name(reinterpret_cast<const char*>(selected), *chosen_size);
    if (name != resumed_protocol) SSL_set_num_tickets(connection, 0);
    return SSL_TLSEXT_ERR_OK;
}

// Finds the pinned CA among the certificates that the server sent, and trusts it alone.
int verify_with_pin(X509_STORE_CTX* verification, void* fingerprint) {
    const auto& pinned = *static_cast<const pki::fingerprint*>(fingerprint);
    STACK_OF(X509)* sent = X509_STORE_CTX_get0_untrusted(verification);
    for (int index = 0; index < sk_X509_num(sent); ++index) {
        X509* candidate = sk_X509_value(sent, index);
        X509_up_ref(candidate);
        const pki::certificate authority{pki::owned_x509(candidate)};
        if (authority.fingerprint() != pinned) continue;
        STACK_OF(X509)* trusted = sk_X509_new_null();
        sk_X509_push(trusted, candidate);
        X509_STORE_CTX_set0_trusted_stack(verification, trusted);
        const int verified = X509_verify_cert(verification);
        X509_STORE_CTX_set0_trusted_stack(verification, nullptr);
        sk_X509_free(trusted);
        return verified;
    }
    X509_STORE_CTX_set_error(verification, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN);
    return 0;
}

// Replaces the context's identity for one connection; the key may be of another type.
bool use_identity_for(SSL* connection, const pki::identity& identity) {
    SSL_certs_clear(connection);
    bool done = SSL_use_certificate(connection, identity.chain.front().native()) == 1
                && SSL_use_PrivateKey(connection, identity.key.native()) == 1;
    for (std::size_t index = 1; done && index < identity.chain.size(); ++index)
        done = SSL_add1_chain_cert(connection, identity.chain[index].native()) == 1;
    return done;
}

}  // namespace

int tls_server::choose_identity(SSL* connection, void* alternative) {
    const auto& other = *static_cast<const alternative_identity*>(alternative);
    if (!client_trusts(connection, other.authority)) return 1;
    return use_identity_for(connection, other.identity) ? 1 : 0;
}

result<std::shared_ptr<const tls_server>> tls_server::create(options options) {
    TRY(auto context, create_context(TLS_server_method()));
    std::shared_ptr<tls_server> result(new tls_server());
    CHECK_OK(use_identity(context.get(), options.identity));
    result->alternative_ = std::move(options.alternative);
    if (result->alternative_)
        SSL_CTX_set_cert_cb(context.get(), choose_identity, &*result->alternative_);
    TRY(result->protocols_, protocol_list(options.protocols));
    if (!result->protocols_.empty())
        SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, &result->protocols_);
    SSL_CTX_set_num_tickets(context.get(), 1);
    // A ticket is valid only in its own scope. Without one, OpenSSL refuses to resume sessions
    // with client certificates.
    constexpr std::string_view scope = "muster";
    SSL_CTX_set_session_id_context(
        context.get(), reinterpret_cast<const unsigned char*>(scope.data()), scope.size());
    if (options.clients != client_certificates::ignored) {
        CHECK_OK(trust_authorities(context.get(), options.client_authorities));
        const bool required = options.clients == client_certificates::required;
        SSL_CTX_set_verify(
            context.get(),
            SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
            nullptr);
    }
    result->context_ = std::move(context);
    return result;
}

void rotating_tls_server::replace(std::shared_ptr<const tls_server> next) {
    MUSTER_ASSERT(next != nullptr);
    const std::lock_guard lock(mutex_);
    current_ = std::move(next);
}

std::shared_ptr<const tls_server> rotating_tls_server::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

result<std::shared_ptr<const tls_client>> tls_client::create(options options) {
    TRY(auto context, create_context(TLS_client_method()));
    std::shared_ptr<tls_client> result(new tls_client());
    if (options.identity) {
        CHECK_OK(use_identity(context.get(), *options.identity));
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (const auto* pin = std::get_if<pinned_authority>(&options.trusted)) {
        result->pinned_ = pin->fingerprint;
        SSL_CTX_set_cert_verify_callback(context.get(), verify_with_pin, &*result->pinned_);
    } else {
        CHECK_OK(trust_authorities(
            context.get(), std::get<trusted_authorities>(options.trusted).certificates));
    }
    if (options.announces_authorities) {
        CHECK_OK(announce_authorities(context.get(), options.trusted));
    }
    TRY(const std::string protocols, protocol_list(options.protocols));
    SSL_CTX_set_alpn_protos(
        context.get(), as_bytes(protocols), static_cast<unsigned>(protocols.size()));
    result->context_ = std::move(context);
    return result;
}

}  // namespace muster::net

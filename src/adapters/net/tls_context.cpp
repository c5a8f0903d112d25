#include "adapters/net/tls_context.h"

#include "adapters/net/authority_names.h"
#include "base/assert.h"

#include <openssl/x509_vfy.h>

#include <csignal>
#include <utility>

namespace muster::net {
namespace {

// OpenSSL writes to the socket itself, with write(2): a peer that went away must be an error of
// that call, not the end of the process.
void ignore_sigpipe() {
    static const auto before = std::signal(SIGPIPE, SIG_IGN);
    static_cast<void>(before);
}

result<owned_ssl_context> make_context(const SSL_METHOD* method) {
    ignore_sigpipe();
    owned_ssl_context context(SSL_CTX_new(method));
    if (!context) return fail(pki::openssl_error(errc::unavailable, "making a TLS context"));
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    SSL_CTX_set_mode(
        context.get(),
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
            | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    // Its SHA-256 is in the processor, the SHA-384 of OpenSSL's first choice is not: some 25 us of
    // a handshake. Whoever asks decides, so this is what agents get.
    constexpr auto suites =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
    if (SSL_CTX_set_ciphersuites(context.get(), suites) != 1)
        return fail(pki::openssl_error(errc::unavailable, "choosing cipher suites"));
    // One read(2) a record instead of two: one for its header and one for the rest.
    SSL_CTX_set_read_ahead(context.get(), 1);
    return context;
}

result<void> use_identity(SSL_CTX* context, const pki::identity& own) {
    MUSTER_ASSERT(!own.chain.empty());
    bool done = SSL_CTX_use_certificate(context, own.chain.front().native()) == 1
                && SSL_CTX_use_PrivateKey(context, own.key.native()) == 1;
    for (std::size_t at = 1; done && at < own.chain.size(); ++at)
        done = SSL_CTX_add1_chain_cert(context, own.chain[at].native()) == 1;
    if (!done) return fail(pki::openssl_error(errc::invalid, "using the certificate and key"));
    return {};
}

result<void> trust_authorities(SSL_CTX* context, const std::vector<pki::certificate>& trusted) {
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    for (const auto& authority : trusted) {
        if (X509_STORE_add_cert(store, authority.native()) != 1)
            return fail(pki::openssl_error(errc::invalid, "trusting a CA"));
    }
    return {};
}

result<std::string> protocol_list(const std::vector<std::string>& protocols) {
    constexpr std::size_t protocol_size_max = 255;
    std::string list;
    for (const auto& protocol : protocols) {
        if (protocol.empty() || protocol.size() > protocol_size_max)
            return fail(errc::invalid, "an ALPN protocol has 1 to 255 characters");
        list += static_cast<char>(protocol.size());
        list += protocol;
    }
    return list;
}

const unsigned char* bytes_of(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Browsers come back with their ticket. An agent's channel stands for days and never does: a ticket
// would be a twentieth of what attaching costs.
constexpr std::string_view resumed_protocol = "http/1.1";

// OpenSSL dictates the parameters.
int choose_protocol(  // NOLINT(readability-function-size)
    SSL* connection,
    const unsigned char** chosen,
    unsigned char* chosen_size,
    const unsigned char* offered,
    unsigned offered_size,
    void* ours) {
    const auto& list = *static_cast<const std::string*>(ours);
    unsigned char* match = nullptr;
    const int outcome = SSL_select_next_proto(
        &match,
        chosen_size,
        bytes_of(list),
        static_cast<unsigned>(list.size()),
        offered,
        offered_size);
    if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = match;
    const std::string_view name(reinterpret_cast<const char*>(match), *chosen_size);
    if (name != resumed_protocol) SSL_set_num_tickets(connection, 0);
    return SSL_TLSEXT_ERR_OK;
}

// Finds the pinned CA among what the server sent and verifies as if that were all we trust.
int verify_with_pin(X509_STORE_CTX* verification, void* pinned) {
    const auto& desired = *static_cast<const pki::fingerprint*>(pinned);
    STACK_OF(X509)* sent = X509_STORE_CTX_get0_untrusted(verification);
    for (int at = 0; at < sk_X509_num(sent); ++at) {
        X509* candidate = sk_X509_value(sent, at);
        X509_up_ref(candidate);
        const pki::certificate authority{pki::owned_x509(candidate)};
        if (authority.fingerprint() != desired) continue;
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

// For one connection, in place of its context's own: of whatever kind that one's key is.
bool use_identity_once(SSL* connection, const pki::identity& own) {
    SSL_certs_clear(connection);
    bool done = SSL_use_certificate(connection, own.chain.front().native()) == 1
                && SSL_use_PrivateKey(connection, own.key.native()) == 1;
    for (std::size_t at = 1; done && at < own.chain.size(); ++at)
        done = SSL_add1_chain_cert(connection, own.chain[at].native()) == 1;
    return done;
}

}  // namespace

int tls_server::choose_identity(SSL* connection, void* ours) {
    const auto& other = *static_cast<const other_identity*>(ours);
    if (!believes_in(connection, other.authority)) return 1;
    return use_identity_once(connection, other.own) ? 1 : 0;
}

result<std::shared_ptr<const tls_server>> tls_server::make(options options) {
    TRY(auto context, make_context(TLS_server_method()));
    std::shared_ptr<tls_server> result(new tls_server());
    CHECK_OK(use_identity(context.get(), options.own));
    result->for_believers_ = std::move(options.for_believers);
    if (result->for_believers_)
        SSL_CTX_set_cert_cb(context.get(), choose_identity, &*result->for_believers_);
    TRY(result->protocols_, protocol_list(options.protocols));
    if (!result->protocols_.empty())
        SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, &result->protocols_);
    SSL_CTX_set_num_tickets(context.get(), 1);
    // A ticket may be redeemed where it was issued only; without a name OpenSSL refuses to resume
    // sessions that carry a client's certificate.
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
    const std::lock_guard lock(guard_);
    current_ = std::move(next);
}

std::shared_ptr<const tls_server> rotating_tls_server::current() const {
    const std::lock_guard lock(guard_);
    return current_;
}

result<std::shared_ptr<const tls_client>> tls_client::make(options options) {
    TRY(auto context, make_context(TLS_client_method()));
    std::shared_ptr<tls_client> result(new tls_client());
    if (options.own) {
        CHECK_OK(use_identity(context.get(), *options.own));
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (const auto* pin = std::get_if<pinned_authority>(&options.trusted)) {
        result->pinned_ = pin->print;
        SSL_CTX_set_cert_verify_callback(context.get(), verify_with_pin, &*result->pinned_);
    } else {
        CHECK_OK(trust_authorities(
            context.get(), std::get<trusted_authorities>(options.trusted).certificates));
    }
    if (options.tells_trusted) {
        CHECK_OK(tell_authorities(context.get(), options.trusted));
    }
    TRY(const std::string protocols, protocol_list(options.protocols));
    SSL_CTX_set_alpn_protos(
        context.get(), bytes_of(protocols), static_cast<unsigned>(protocols.size()));
    result->context_ = std::move(context);
    return result;
}

}  // namespace muster::net

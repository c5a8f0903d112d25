#pragma once

#include "adapters/net/tls_context.h"
#include "adapters/pki/agent_proof.h"
#include "adapters/pki/certificate.h"
#include "ports/async.h"

#include <boost/asio/ip/tcp.hpp>
#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace muster::net {

enum class progress {
    done,         // some bytes were moved
    wants_read,   // wait until the socket is readable, then try again
    wants_write,  // wait until it is writable, then try again with the same bytes
    ended,        // the peer has finished sending, and said so where there is TLS
    broken,       // nothing more can be moved; failure() says why
};

struct step {
    progress what = progress::broken;
    std::size_t size = 0;
};

// A TCP connection, under TLS or (on loopback only) in the clear. OpenSSL works on the socket's
// descriptor itself, so nothing is buffered between the two and an idle connection holds no buffer.
//
// The try_ functions never wait; they are for loops that own their buffers. The awaitable ones are
// for everybody else. Use from one executor only, one reader and one writer at a time. A cancelled
// write leaves the connection unusable.
class stream {
public:
    using socket = boost::asio::ip::tcp::socket;
    using waited = boost::asio::awaitable<std::tuple<boost::system::error_code>>;

    struct expected_server {
        std::shared_ptr<const tls_client> tls;
        std::string host;  // a DNS name or an IP address
    };

    explicit stream(socket plain);
    stream(socket accepted, std::shared_ptr<const tls_server> tls);
    stream(socket connected, expected_server server);
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    ~stream() = default;

    bool is_tls() const { return ssl_ != nullptr; }
    // Whether bytes that were read from the socket wait to be taken: then try_read before waiting.
    bool has_buffered() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }

    step try_handshake();
    step try_read(std::span<char> into);
    step try_write(std::string_view from);
    waited wait_for(progress desired);  // wants_read or wants_write
    waited wait_for_either();

    async<void> handshake();
    async<std::size_t> read_some(std::span<char> into);  // 0: the peer has finished sending
    async<void> write(std::string bytes);

    // Makes the current wait of either direction end with an error. The connection stays usable.
    void interrupt();
    // Says that nothing more will be sent; reading goes on.
    void finish_sending();
    void close();

    const error& failure() const { return failure_; }
    std::string protocol() const;  // what ALPN has chosen; empty when nothing was
    result<pki::channel_binding> channel_binding() const;
    std::optional<pki::certificate> peer_certificate() const;
    boost::asio::ip::tcp::endpoint peer() const;

private:
    using owned_ssl = std::unique_ptr<SSL, pki::freed_by<SSL_free>>;

    void prepare_socket();
    step outcome_of_tls(int returned, std::string_view doing);
    step outcome_of_system(ssize_t returned, std::string_view doing);

    socket socket_;
    // OpenSSL's callbacks point into the settings, which a rotation may have replaced meanwhile.
    std::shared_ptr<const void> settings_;
    owned_ssl ssl_;
    error failure_{errc::unavailable, ""};
};

}  // namespace muster::net

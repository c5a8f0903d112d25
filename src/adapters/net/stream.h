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
    ended,        // the peer finished sending; with TLS, it said so
    broken,       // the connection is unusable; see failure()
};

struct step {
    progress state = progress::broken;
    std::size_t size = 0;
};

// A TCP connection, with TLS or (on loopback only) without. OpenSSL works on the descriptor
// directly, so an idle connection holds no buffer.
//
// The try_ functions never wait; they are for loops with their own buffers. Use one executor, one
// reader and one writer at a time. A cancelled write makes the connection unusable.
class stream {
public:
    using socket = boost::asio::ip::tcp::socket;
    using wait_result = boost::asio::awaitable<std::tuple<boost::system::error_code>>;

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
    // True if bytes were read from the socket but not returned yet: call try_read before waiting.
    bool has_buffered() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }

    step try_handshake();
    step try_read(std::span<char> buffer);
    step try_write(std::string_view bytes);
    wait_result wait_for(progress direction);  // wants_read or wants_write
    wait_result wait_for_either();

    async<void> handshake();
    async<std::size_t> read_some(std::span<char> buffer);  // 0: the peer has finished sending
    async<void> write(std::string bytes);

    // Ends the current waits with an error. The connection stays usable.
    void interrupt();
    // Ends the sending direction; reading goes on.
    void finish_sending();
    void close();

    const error& failure() const { return failure_; }
    std::string protocol() const;  // chosen by ALPN; empty if none
    result<pki::channel_binding> channel_binding() const;
    std::optional<pki::certificate> peer_certificate() const;
    boost::asio::ip::tcp::endpoint peer() const;

private:
    using owned_ssl = std::unique_ptr<SSL, pki::freed_by<SSL_free>>;

    void prepare_socket();
    step to_tls_step(int returned, std::string_view action);
    step to_system_step(ssize_t returned, std::string_view action);

    socket socket_;
    // Keeps the TLS context alive, which a certificate rotation may have replaced.
    std::shared_ptr<const void> tls_;
    owned_ssl ssl_;
    error failure_{errc::unavailable, ""};
};

}  // namespace muster::net

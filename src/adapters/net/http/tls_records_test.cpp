// What goes over the wire in which TLS record.
#include "tests/fixtures/net/http_fixture.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <chrono>
#include <poll.h>

namespace muster::net::http {
namespace {

using namespace test;

// A TLS client whose records the test itself puts on the wire, in pieces of its choice.
class hand_fed_client {
public:
    explicit hand_fed_client(const endpoint& to) {
        socket_.connect({asio::ip::make_address(to.host), to.port});
        SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_connect_state(ssl_.get());
        while (SSL_do_handshake(ssl_.get()) != 1) {
            send(records());
            REQUIRE(listen(10'000));
        }
        send(records());
    }

    std::string record_of(std::string_view plain) {
        SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size()));
        return records();
    }

    void send(std::string_view bytes) { asio::write(socket_, asio::buffer(bytes)); }

    // What the server says within the time, of one record at most; nothing when it hangs up.
    std::optional<std::string> hear(std::chrono::milliseconds clock) {
        const auto end = the_clock().now() + clock;
        std::string message(4096, '\0');
        while (the_clock().now() < end) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - the_clock().now());
            if (!listen(static_cast<int>(left.count()))) return std::nullopt;
            const int size = SSL_read(ssl_.get(), message.data(), static_cast<int>(message.size()));
            if (size > 0) return message.substr(0, static_cast<std::size_t>(size));
        }
        return std::string();
    }

private:
    // What TLS wants to have sent.
    std::string records() {
        std::string bytes(BIO_ctrl_pending(SSL_get_wbio(ssl_.get())), '\0');
        BIO_read(SSL_get_wbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
        return bytes;
    }

    // Hands to TLS what comes within the time; false when the server has hung up.
    bool listen(int milliseconds) {
        pollfd wait{.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
        if (::poll(&wait, 1, milliseconds) == 0) return true;
        std::array<char, 4096> buffer{};
        boost::system::error_code failed;
        const auto size = socket_.read_some(asio::buffer(buffer), failed);
        if (failed) return false;
        BIO_write(SSL_get_rbio(ssl_.get()), buffer.data(), static_cast<int>(size));
        return true;
    }

    asio::io_context loop_;
    asio::ip::tcp::socket socket_{loop_};
    std::shared_ptr<const tls_client> tls_ = client_tls();
    std::unique_ptr<SSL, pki::freed_by<SSL_free>> ssl_{SSL_new(tls_->native())};
};

// The socket is then readable although there is nothing to read yet.
TEST_CASE("half of a TLS record does not start the clock of a request's header") {
    auto allowed = quick_limits();
    allowed.header_time = 50ms;
    allowed.first_byte_time = 1min;
    allowed.idle_time = 1min;
    const server_fixture fixture({.allowed = allowed});
    hand_fed_client client(fixture.address());
    const auto record = client.record_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto half = record.size() / 2;

    client.send(record.substr(0, half));
    CHECK(client.hear(300ms) == "");
    client.send(record.substr(half));

    CHECK(client.hear(10s).value_or("").starts_with("HTTP/1.1 200 OK"));
    CHECK(fixture.running->metrics().deadlines_passed == 0);
}

TEST_CASE("head and body of a small answer come in one record, on every request of a connection") {
    const server_fixture fixture;
    hand_fed_client client(fixture.address());

    for (int request = 0; request < 3; ++request) {
        client.send(client.record_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
        const auto first_record = client.hear(10s).value_or("");

        CHECK(first_record.starts_with("HTTP/1.1 200 OK\r\n"));
        CHECK(first_record.ends_with("\r\n\r\nhello"));
    }
}

}  // namespace
}  // namespace muster::net::http

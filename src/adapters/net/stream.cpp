#include "adapters/net/stream.h"

#include "base/assert.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace muster::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

bool is_ip_address(const std::string& host) {
    boost::system::error_code failure;
    asio::ip::make_address(host, failure);
    return !failure;
}

void expect_server(SSL* ssl, const std::string& host) {
    if (is_ip_address(host)) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
        return;
    }
    SSL_set_tlsext_host_name(ssl, host.c_str());
    SSL_set1_host(ssl, host.c_str());
}

}  // namespace

stream::stream(socket plain) : socket_(std::move(plain)) {
    prepare_socket();
}

stream::stream(socket accepted, std::shared_ptr<const tls_server> tls)
    : socket_(std::move(accepted)), ssl_(SSL_new(tls->native())) {
    tls_ = std::move(tls);
    prepare_socket();
    SSL_set_fd(ssl_.get(), socket_.native_handle());
    SSL_set_accept_state(ssl_.get());
}

stream::stream(socket connected, expected_server server)
    : socket_(std::move(connected)), ssl_(SSL_new(server.tls->native())) {
    tls_ = std::move(server.tls);
    prepare_socket();
    expect_server(ssl_.get(), server.host);
    SSL_set_fd(ssl_.get(), socket_.native_handle());
    SSL_set_connect_state(ssl_.get());
}

void stream::prepare_socket() {
    boost::system::error_code ignored;  // a dead socket fails at its first use
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
}

step stream::to_tls_step(int returned, std::string_view action) {
    const int system_error = errno;
    switch (SSL_get_error(ssl_.get(), returned)) {
        case SSL_ERROR_WANT_READ:
            return {progress::wants_read};
        case SSL_ERROR_WANT_WRITE:
            return {progress::wants_write};
        case SSL_ERROR_ZERO_RETURN:
            return {progress::ended};
        case SSL_ERROR_SYSCALL:
            ERR_clear_error();
            failure_ = error(
                errc::unavailable,
                std::string(action) + ": " + std::generic_category().message(system_error));
            return {progress::broken};
        default:
            break;
    }
    // A socket closed without a TLS close is broken, too: anybody on the path can close it.
    const bool alert = ERR_GET_REASON(ERR_peek_error()) >= SSL_AD_REASON_OFFSET;
    const long verified = SSL_get_verify_result(ssl_.get());
    failure_ = pki::openssl_error(alert ? errc::denied : errc::unavailable, action);
    if (verified != X509_V_OK) {
        failure_ = error(
            errc::denied,
            std::string(action)
                + ": peer certificate rejected: " + X509_verify_cert_error_string(verified));
    }
    return {progress::broken};
}

step stream::to_system_step(ssize_t returned, std::string_view action) {
    if (returned > 0) return {progress::done, static_cast<std::size_t>(returned)};
    if (returned == 0) return {progress::ended};
    const int number = errno;
    if (number == EAGAIN || number == EWOULDBLOCK || number == EINTR)
        return {action == "reading" ? progress::wants_read : progress::wants_write};
    failure_ = error(
        errc::unavailable, std::string(action) + ": " + std::generic_category().message(number));
    return {progress::broken};
}

step stream::try_handshake() {
    MUSTER_ASSERT(is_tls());
    ERR_clear_error();
    const int returned = SSL_do_handshake(ssl_.get());
    if (returned == 1) return {progress::done};
    return to_tls_step(returned, "TLS handshake");
}

step stream::try_read(std::span<char> buffer) {
    MUSTER_ASSERT(!buffer.empty());
    if (!ssl_) {
        return to_system_step(
            ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT), "reading");
    }
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &size);
    if (returned == 1) return {progress::done, size};
    return to_tls_step(returned, "reading");
}

step stream::try_write(std::string_view bytes) {
    MUSTER_ASSERT(!bytes.empty());
    if (!ssl_) {
        return to_system_step(
            ::send(
                socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL),
            "writing");
    }
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &size);
    if (returned == 1) return {progress::done, size};
    return to_tls_step(returned, "writing");
}

stream::wait_result stream::wait_for(progress direction) {
    MUSTER_ASSERT(direction == progress::wants_read || direction == progress::wants_write);
    const auto side = direction == progress::wants_read ? socket::wait_read : socket::wait_write;
    return socket_.async_wait(side, asio::as_tuple(asio::use_awaitable));
}

stream::wait_result stream::wait_for_either() {
    auto race = asio::experimental::make_parallel_group(
        socket_.async_wait(socket::wait_read, asio::deferred),
        socket_.async_wait(socket::wait_write, asio::deferred));
    const auto [order, unreadable, unwritable] =
        co_await race.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    co_return order[0] == 0 ? unreadable : unwritable;
}

async<void> stream::handshake() {
    while (true) {
        const step step = try_handshake();
        if (step.state == progress::done) co_return result<void>();
        if (step.state == progress::ended || step.state == progress::broken)
            co_return fail(failure_);
        const auto [failed] = co_await wait_for(step.state);
        if (failed) co_return fail(errc::unavailable, "TLS handshake: " + failed.message());
    }
}

async<std::size_t> stream::read_some(std::span<char> buffer) {
    while (true) {
        const step step = try_read(buffer);
        if (step.state == progress::done) co_return step.size;
        if (step.state == progress::ended) co_return 0;
        if (step.state == progress::broken) co_return fail(failure_);
        const auto [failed] = co_await wait_for(step.state);
        if (failed) co_return fail(errc::unavailable, "reading: " + failed.message());
    }
}

async<void> stream::write(std::string bytes) {
    std::string_view remaining = bytes;
    while (!remaining.empty()) {
        const step step = try_write(remaining);
        if (step.state == progress::done) {
            remaining.remove_prefix(step.size);
            continue;
        }
        if (step.state == progress::ended || step.state == progress::broken)
            co_return fail(failure_);
        const auto [failed] = co_await wait_for(step.state);
        if (failed) co_return fail(errc::unavailable, "writing: " + failed.message());
    }
    co_return result<void>();
}

void stream::interrupt() {
    boost::system::error_code ignored;  // a closed socket has no waits to end
    socket_.cancel(ignored);
}

void stream::finish_sending() {
    if (ssl_ && SSL_is_init_finished(ssl_.get()) == 1) {
        ERR_clear_error();
        SSL_shutdown(ssl_.get());  // best effort: the peer may be gone
        ERR_clear_error();
    }
    boost::system::error_code ignored;
    socket_.shutdown(socket::shutdown_send, ignored);
}

void stream::close() {
    finish_sending();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

std::string stream::protocol() const {
    if (!ssl_) return {};
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

result<pki::channel_binding> stream::channel_binding() const {
    if (!ssl_) return fail(errc::invalid, "connection without TLS has no channel binding");
    constexpr std::string_view label = "EXPORTER-Channel-Binding";  // RFC 9266
    pki::channel_binding value{};
    const int exported = SSL_export_keying_material(
        ssl_.get(),
        reinterpret_cast<unsigned char*>(value.data()),
        value.size(),
        label.data(),
        label.size(),
        nullptr,
        0,
        0);
    if (exported != 1) return fail(pki::openssl_error(errc::unavailable, "TLS exporter"));
    return value;
}

std::optional<pki::certificate> stream::peer_certificate() const {
    if (!ssl_) return std::nullopt;
    X509* certificate = SSL_get1_peer_certificate(ssl_.get());
    if (certificate == nullptr) return std::nullopt;
    return pki::certificate(pki::owned_x509(certificate));
}

tcp::endpoint stream::peer() const {
    boost::system::error_code ignored;
    return socket_.remote_endpoint(ignored);
}

}  // namespace muster::net

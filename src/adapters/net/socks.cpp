#include "adapters/net/socks.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace muster::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr char version = 5;
constexpr char no_password = 0;
constexpr char connect_command = 1;
constexpr std::size_t name_bytes_max = 255;

enum address_kind : char {
    ipv4 = 1,
    name = 3,
    ipv6 = 4,
};

async<void> write(tcp::socket& socket, std::string bytes) {
    const auto [failed, size] = co_await asio::async_write(
        socket, asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
    if (failed) co_return fail(errc::unavailable, "proxy: " + failed.message());
    co_return result<void>();
}

async<std::string> read(tcp::socket& socket, std::size_t size) {
    std::string bytes(size, '\0');
    const auto [failed, received_bytes] =
        co_await asio::async_read(socket, asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
    if (failed) co_return fail(errc::unavailable, "proxy: " + failed.message());
    co_return bytes;
}

template <class Bytes>
std::string to_text(const Bytes& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::string encode_address(const std::string& host) {
    boost::system::error_code no_address;
    const auto literal = asio::ip::make_address(host, no_address);
    if (no_address) {
        const auto size = static_cast<char>(static_cast<unsigned char>(host.size()));
        return std::string{name, size} + host;
    }
    if (literal.is_v4()) return std::string{ipv4} + to_text(literal.to_v4().to_bytes());
    return std::string{ipv6} + to_text(literal.to_v6().to_bytes());
}

std::string encode_request(const endpoint& target) {
    const auto port = target.port;
    return std::string{version, connect_command, 0} + encode_address(target.host)
           + std::string{static_cast<char>(port >> 8U), static_cast<char>(port & 0xffU)};
}

std::string_view describe_error(unsigned char code) {
    constexpr std::array<std::string_view, 9> texts{
        "",
        "general failure",
        "not allowed by the rules of the proxy",
        "network unreachable",
        "host unreachable",
        "connection refused",
        "TTL expired",
        "command not supported",
        "address type not supported"};
    return code < texts.size() ? texts.at(code) : "unknown error";
}

// The response ends with an address that is not needed but must be read.
async<void> skip_address(tcp::socket& socket, char kind) {
    std::size_t size = 0;
    if (kind == ipv4) {
        size = 4;
    } else if (kind == ipv6) {
        size = 16;
    } else if (kind == name) {
        CO_TRY(const auto name_size, co_await read(socket, 1));
        size = static_cast<unsigned char>(name_size.front());
    } else {
        co_return fail(errc::invalid, "proxy does not support SOCKS5");
    }
    constexpr std::size_t port_bytes = 2;
    CO_TRY(const auto skipped, co_await read(socket, size + port_bytes));
    co_return result<void>();
}

}  // namespace

async<void> connect_through_proxy(tcp::socket& socket, endpoint target) {
    if (target.host.size() > name_bytes_max)
        co_return fail(errc::invalid, "host name is too long for the proxy");
    CO_CHECK_OK(co_await write(socket, {version, 1, no_password}));
    CO_TRY(const auto chosen, co_await read(socket, 2));
    if (chosen[0] != version) co_return fail(errc::invalid, "proxy does not support SOCKS5");
    if (chosen[1] != no_password) co_return fail(errc::denied, "proxy requires a password");
    CO_CHECK_OK(co_await write(socket, encode_request(target)));
    CO_TRY(const auto response, co_await read(socket, 4));
    if (response[0] != version) co_return fail(errc::invalid, "proxy does not support SOCKS5");
    if (const auto code = static_cast<unsigned char>(response[1]); code != 0) {
        co_return fail(
            errc::unavailable,
            fmt::format("proxy cannot connect to {}: {}", to_string(target), describe_error(code)));
    }
    co_return co_await skip_address(socket, response[3]);
}

}  // namespace muster::net

#include "adapters/net/connect.h"

#include "adapters/net/socks.h"
#include "adapters/resolver/resolver.h"
#include "ports/deadline.h"
#include "runtime/clock.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace muster::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Time limit of one address of several, so that an address that drops packets leaves time for the
// next.
constexpr std::chrono::seconds address_time{2};
constexpr std::chrono::hours last_address_time{1};  // the caller's deadline is shorter

using owned_socket = std::unique_ptr<tcp::socket>;

async<owned_socket> connect_socket(tcp::endpoint address) {
    auto socket = std::make_unique<tcp::socket>(co_await asio::this_coro::executor);
    const auto [failed] =
        co_await socket->async_connect(address, asio::as_tuple(asio::use_awaitable));
    if (failed) co_return fail(errc::unavailable, failed.message());
    co_return socket;
}

async<owned_socket> connect_any(endpoint target, std::shared_ptr<const address_filter> allowed) {
    runtime::system_clock clock;
    const resolver::query query{.host = target.host, .port = target.port};
    CO_TRY(auto addresses, co_await resolver::resolve(query));
    if (allowed)
        std::erase_if(
            addresses, [&](const auto& candidate) { return !allowed->allows(candidate); });
    if (addresses.empty())
        co_return fail(
            errc::invalid,
            to_string(target)
                + " resolves only to addresses that are not allowed for outbound requests");
    error last_error(errc::unavailable, "no address");
    for (const auto& address : addresses) {
        const bool is_last = address == addresses.back();
        auto socket = co_await within(
            clock, is_last ? last_address_time : address_time, connect_socket(address));
        if (socket) co_return socket;
        last_error = socket.error();
    }
    co_return fail(
        errc::unavailable, "connecting to " + to_string(target) + ": " + last_error.detail());
}

}  // namespace

async<std::unique_ptr<stream>> connect(destination destination) {
    // Only a certificate identifies a server behind a proxy.
    if (destination.proxy && (!destination.tls || destination.allowed))
        co_return fail(
            errc::invalid,
            to_string(destination.address) + " requires TLS because a proxy is used");
    CO_TRY(
        const owned_socket socket,
        co_await connect_any(destination.proxy.value_or(destination.address), destination.allowed));
    if (destination.proxy) {
        CO_CHECK_OK(co_await connect_through_proxy(*socket, destination.address));
    }
    if (!destination.tls) {
        if (!destination.allowed && !socket->remote_endpoint().address().is_loopback()) {
            co_return fail(
                errc::invalid,
                to_string(destination.address) + " is not a loopback address and requires TLS");
        }
        co_return std::make_unique<stream>(std::move(*socket));
    }
    const stream::expected_server server{.tls = destination.tls, .host = destination.address.host};
    auto connection = std::make_unique<stream>(std::move(*socket), server);
    auto done = co_await connection->handshake();
    if (!done)
        co_return fail(
            done.error().with_context("connecting to " + to_string(destination.address)));
    co_return connection;
}

}  // namespace muster::net

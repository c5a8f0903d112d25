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

// How long one address of several may take, so that one that swallows packets leaves time for the
// next.
constexpr std::chrono::seconds address_time{2};
constexpr std::chrono::hours last_address_time{1};  // the caller's own deadline comes first

using owned_socket = std::unique_ptr<tcp::socket>;

async<owned_socket> reach_address(tcp::endpoint address) {
    auto socket = std::make_unique<tcp::socket>(co_await asio::this_coro::executor);
    const auto [failed] =
        co_await socket->async_connect(address, asio::as_tuple(asio::use_awaitable));
    if (failed) co_return fail(errc::unavailable, failed.message());
    co_return socket;
}

async<owned_socket> reach(endpoint where, std::shared_ptr<const address_filter> allowed) {
    runtime::system_clock clock;
    const resolver::question question{.host = where.host, .port = where.port};
    CO_TRY(auto match, co_await resolver::resolve(question));
    if (allowed) std::erase_if(match, [&](const auto& each) { return !allowed->admits(each); });
    if (match.empty())
        co_return fail(
            errc::invalid,
            to_string(where) + " stands for no address that this server may be sent to");
    error last(errc::unavailable, "no address");
    for (const auto& address : match) {
        const bool is_last = address == match.back();
        auto reached = co_await within(
            clock, is_last ? last_address_time : address_time, reach_address(address));
        if (reached) co_return reached;
        last = reached.error();
    }
    co_return fail(errc::unavailable, "connecting to " + to_string(where) + ": " + last.detail());
}

}  // namespace

async<std::unique_ptr<stream>> connect(destination to) {
    // Who is behind a proxy is seen by its certificate alone.
    if (to.through && (!to.tls || to.allowed))
        co_return fail(errc::invalid, to_string(to.where) + " needs TLS: it is behind a proxy");
    CO_TRY(const owned_socket socket, co_await reach(to.through.value_or(to.where), to.allowed));
    if (to.through) {
        CO_CHECK_OK(co_await pass_proxy(*socket, to.where));
    }
    if (!to.tls) {
        if (!to.allowed && !socket->remote_endpoint().address().is_loopback()) {
            co_return fail(
                errc::invalid, to_string(to.where) + " is not on this machine: it needs TLS");
        }
        co_return std::make_unique<stream>(std::move(*socket));
    }
    const stream::expected_server server{.tls = to.tls, .host = to.where.host};
    auto connected = std::make_unique<stream>(std::move(*socket), server);
    auto greeted = co_await connected->handshake();
    if (!greeted) co_return fail(greeted.error().within("connecting to " + to_string(to.where)));
    co_return connected;
}

}  // namespace muster::net

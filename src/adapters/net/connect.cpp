#include "adapters/net/connect.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>
#include <vector>

namespace muster::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using addresses = std::vector<tcp::endpoint>;

// Looking up a name blocks a thread of Asio's and cannot be cancelled, so the wait for it is given
// up instead and its late answer dropped.
async<addresses> resolve(endpoint where) {
    boost::system::error_code not_literal;
    const auto literal = asio::ip::make_address(where.host, not_literal);
    if (!not_literal) co_return addresses{tcp::endpoint(literal, where.port)};
    const auto executor = co_await asio::this_coro::executor;
    const auto resolver = std::make_shared<tcp::resolver>(executor);
    auto start = [resolver, where](completion<addresses> done) {
        resolver->async_resolve(
            where.host,
            std::to_string(where.port),
            [resolver, where, done = std::move(done)](
                boost::system::error_code failed, const tcp::resolver::results_type& found) {
                if (failed) {
                    done(fail(
                        errc::unavailable, "looking up " + where.host + ": " + failed.message()));
                    return;
                }
                done(addresses(found.begin(), found.end()));
            });
    };
    co_return co_await completed<addresses>(std::move(start));
}

async<tcp::socket> reach(endpoint where) {
    CO_TRY(const addresses found, co_await resolve(where));
    const auto executor = co_await asio::this_coro::executor;
    std::string last = "no address";
    for (const auto& address : found) {
        tcp::socket socket(executor);
        const auto [failed] =
            co_await socket.async_connect(address, asio::as_tuple(asio::use_awaitable));
        if (!failed) co_return socket;
        last = failed.message();
    }
    co_return fail(errc::unavailable, "connecting to " + to_string(where) + ": " + last);
}

}  // namespace

async<std::unique_ptr<stream>> connect(destination to) {
    CO_TRY(tcp::socket socket, co_await reach(to.where));
    if (!to.tls) {
        if (!socket.remote_endpoint().address().is_loopback()) {
            co_return fail(
                errc::invalid, to_string(to.where) + " is not on this machine: it needs TLS");
        }
        co_return std::make_unique<stream>(std::move(socket));
    }
    const stream::expected_server server{.tls = to.tls, .host = to.where.host};
    auto connected = std::make_unique<stream>(std::move(socket), server);
    auto greeted = co_await connected->handshake();
    if (!greeted) co_return fail(greeted.error().within("connecting to " + to_string(to.where)));
    co_return connected;
}

}  // namespace muster::net

#include "adapters/resolver/resolver.h"

#include "adapters/resolver/lookup.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <optional>
#include <utility>

namespace muster::resolver {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Resolves IP addresses in text, and localhost (RFC 6761), which may be missing in a container's
// hosts file.
std::optional<addresses> resolve_locally(const query& query) {
    boost::system::error_code not_an_address;
    const auto literal = asio::ip::make_address(query.host, not_an_address);
    if (!not_an_address) return addresses{tcp::endpoint(literal, query.port)};
    if (query.host != "localhost") return std::nullopt;
    return addresses{
        tcp::endpoint(asio::ip::address_v4::loopback(), query.port),
        tcp::endpoint(asio::ip::address_v6::loopback(), query.port)};
}

}  // namespace

async<addresses> resolve(query query) {
    if (auto local = resolve_locally(query)) co_return *std::move(local);
    const auto executor = co_await asio::this_coro::executor;
    lookup lookup(executor);
    lookup.start(query);
    asio::steady_timer timer(executor);
    while (!lookup.outcome()) {
        timer.expires_after(lookup.timeout());
        auto first_event = asio::experimental::make_parallel_group(
            lookup.ready().async_wait(asio::posix::stream_descriptor::wait_read, asio::deferred),
            timer.async_wait(asio::deferred));
        co_await first_event.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
        lookup.process();
    }
    co_return *lookup.outcome();
}

}  // namespace muster::resolver

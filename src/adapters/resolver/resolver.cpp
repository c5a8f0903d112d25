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

// What needs nobody's help: an address in text, and localhost (RFC 6761), which a container may
// have no hosts file for.
std::optional<addresses> known_without_asking(const question& what) {
    boost::system::error_code not_literal;
    const auto literal = asio::ip::make_address(what.host, not_literal);
    if (!not_literal) return addresses{tcp::endpoint(literal, what.port)};
    if (what.host != "localhost") return std::nullopt;
    return addresses{
        tcp::endpoint(asio::ip::address_v4::loopback(), what.port),
        tcp::endpoint(asio::ip::address_v6::loopback(), what.port)};
}

}  // namespace

async<addresses> resolve(question what) {
    if (auto known = known_without_asking(what)) co_return *std::move(known);
    const auto executor = co_await asio::this_coro::executor;
    lookup asked(executor);
    asked.ask(what);
    asio::steady_timer overdue(executor);
    while (!asked.outcome()) {
        overdue.expires_after(asked.patience());
        auto either = asio::experimental::make_parallel_group(
            asked.ready().async_wait(asio::posix::stream_descriptor::wait_read, asio::deferred),
            overdue.async_wait(asio::deferred));
        co_await either.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
        asked.proceed();
    }
    co_return *asked.outcome();
}

}  // namespace muster::resolver

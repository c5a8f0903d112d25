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
std::optional<addresses> known_without_asking(const question& question) {
    boost::system::error_code not_literal;
    const auto literal = asio::ip::make_address(question.host, not_literal);
    if (!not_literal) return addresses{tcp::endpoint(literal, question.port)};
    if (question.host != "localhost") return std::nullopt;
    return addresses{
        tcp::endpoint(asio::ip::address_v4::loopback(), question.port),
        tcp::endpoint(asio::ip::address_v6::loopback(), question.port)};
}

}  // namespace

async<addresses> resolve(question question) {
    if (auto existing = known_without_asking(question)) co_return *std::move(existing);
    const auto executor = co_await asio::this_coro::executor;
    lookup lookup(executor);
    lookup.ask(question);
    asio::steady_timer overdue(executor);
    while (!lookup.outcome()) {
        overdue.expires_after(lookup.timeout());
        auto either = asio::experimental::make_parallel_group(
            lookup.ready().async_wait(asio::posix::stream_descriptor::wait_read, asio::deferred),
            overdue.async_wait(asio::deferred));
        co_await either.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
        lookup.proceed();
    }
    co_return *lookup.outcome();
}

}  // namespace muster::resolver

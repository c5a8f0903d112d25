#include "adapters/resolver/resolver.h"

#include "adapters/resolver/lookup.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <memory>

namespace muster::resolver {

namespace asio = boost::asio;
using asio::ip::tcp;

async<addresses> resolve(question what) {
    boost::system::error_code not_literal;
    const auto literal = asio::ip::make_address(what.host, not_literal);
    if (!not_literal) co_return addresses{tcp::endpoint(literal, what.port)};
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

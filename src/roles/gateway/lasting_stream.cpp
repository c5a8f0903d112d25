#include "roles/gateway/lasting_stream.h"

#include <utility>

namespace muster::gateway {
namespace {

async<void> until_shut_out(visitor who) {
    do {
        CO_CHECK_OK(co_await who.desk->time.sleep_for(right_look));
    } while (who.desk->people.entrance.still_lets_in(who));
    co_return fail(errc::denied, "what this stream was allowed by is there no more");
}

async<void> run(net::http::event_source source, visitor who, net::http::event_writer to) {
    using boost::asio::experimental::awaitable_operators::operator||;
    auto first = co_await (source(to) || until_shut_out(std::move(who)));
    if (first.index() == 1) co_return std::get<1>(std::move(first));
    co_return std::get<0>(std::move(first));
}

}  // namespace

net::http::event_source while_let_in(
    net::http::event_source source, visitor who, stream_seats::seat seat) {
    return [source = std::move(source), who = std::move(who), seat = std::move(seat)](
               net::http::event_writer to) {
        return run(source, who, to);
    };
}

}  // namespace muster::gateway

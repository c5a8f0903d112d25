#include "api/operations/lasting_stream.h"

#include "ports/race.h"

#include <utility>

namespace muster::api {
namespace {

async<void> until_shut_out(visitor who) {
    do {
        CO_CHECK_OK(co_await who.desk->time.sleep_for(right_look));
    } while (who.desk->people.entrance.still_lets_in(who));
    co_return fail(errc::denied, "what this stream was allowed by is there no more");
}

async<void> run(net::http::event_source source, visitor who, net::http::event_writer to) {
    co_return co_await unless(until_shut_out(std::move(who)), source(to));
}

}  // namespace

net::http::event_source while_let_in(
    net::http::event_source source, visitor who, stream_seats::seat seat) {
    return [source = std::move(source), who = std::move(who), seat = std::move(seat)](
               net::http::event_writer to) {
        return run(source, who, to);
    };
}

}  // namespace muster::api

#include "api/operations/revalidated_stream.h"

#include "ports/race.h"

#include <utility>

namespace muster::api {
namespace {

async<void> until_shut_out(caller caller) {
    do {
        CO_CHECK_OK(co_await caller.context->clock.sleep_for(right_look));
    } while (caller.context->people.entrance.still_lets_in(caller));
    co_return fail(errc::denied, "what this stream was allowed by is there no more");
}

async<void> run(net::http::event_source source, caller caller, net::http::event_writer to) {
    co_return co_await unless(until_shut_out(std::move(caller)), source(to));
}

}  // namespace

net::http::event_source while_let_in(
    net::http::event_source source, caller caller, stream_limiter::seat seat) {
    return [source = std::move(source), caller = std::move(caller), seat = std::move(seat)](
               net::http::event_writer to) {
        return run(source, caller, to);
    };
}

}  // namespace muster::api

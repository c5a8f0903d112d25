#include "api/operations/revalidated_stream.h"

#include "ports/race.h"

#include <utility>

namespace muster::api {
namespace {

async<void> wait_for_access_loss(caller caller) {
    do {
        CO_CHECK_OK(co_await caller.context->clock.sleep_for(revalidation_interval));
    } while (caller.context->people.authentication.is_still_valid(caller));
    co_return fail(errc::denied, "session, token or right for this stream is no longer valid");
}

async<void> run(net::http::event_source source, caller caller, net::http::event_writer writer) {
    co_return co_await await_unless(wait_for_access_loss(std::move(caller)), source(writer));
}

}  // namespace

net::http::event_source revalidated_stream(
    net::http::event_source source, caller caller, stream_limiter::permit permit) {
    return [source = std::move(source), caller = std::move(caller), permit = std::move(permit)](
               net::http::event_writer writer) {
        return run(source, caller, writer);
    };
}

}  // namespace muster::api

#pragma once

#include "adapters/net/http/events.h"
#include "api/operations/api_context.h"
#include "api/operations/stream_limiter.h"

namespace muster::api {

// How soon after a right was taken away what it allowed ends.
inline constexpr auto right_look = std::chrono::seconds(5);

// A stream that ends when whoever asked for it would not be let in any more, or not to as much. A
// client takes it up again where it was, and is then told why it may not.
net::http::event_source while_let_in(
    net::http::event_source source, caller caller, stream_limiter::seat seat);

}  // namespace muster::api

#pragma once

#include "adapters/net/http/events.h"
#include "api/operations/api_context.h"
#include "api/operations/stream_limiter.h"

namespace muster::api {

// Interval between access checks of an open stream.
inline constexpr auto revalidation_interval = std::chrono::seconds(5);

// A stream that ends when its caller loses access or rights. The client reconnects with its last
// event id and then gets the reason.
net::http::event_source revalidated_stream(
    net::http::event_source source, caller caller, stream_limiter::permit permit);

}  // namespace muster::api

#pragma once

#include "adapters/net/http/admission.h"
#include "adapters/net/http/router.h"
#include "adapters/net/stream.h"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::net::http {

inline constexpr std::string_view channel_protocol = "muster/1";  // ALPN of the agents' channel
inline constexpr std::string_view http_protocol = "http/1.1";

// A connection that chose the channel's protocol. It belongs to the server and outlives the
// handler's coroutine. When the server begins to drain, `stopping` turns true and the wait that is
// under way on the stream is interrupted; the connection is cut at the drain's deadline.
struct channel {
    stream* bytes;
    boost::asio::ip::address client;
    const bool* stopping;
    // Among the connections that are served at a time. A handler that keeps many channels for long
    // under a limit of its own gives it back, lest nobody else be let in.
    admission::place* place;
};

// Serves a channel until it ends.
using channel_handler = std::function<boost::asio::awaitable<void>(channel)>;

// What is behind a listener.
struct service {
    std::shared_ptr<const router> routes;
    channel_handler channels = nullptr;  // none: every connection speaks HTTP
    // Told of what should not happen, such as a handler that threw.
    std::function<void(std::string_view text)> report = nullptr;
};

}  // namespace muster::net::http

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

inline constexpr std::string_view channel_protocol = "muster/1";  // ALPN of agent connections
inline constexpr std::string_view http_protocol = "http/1.1";

// An agent connection, chosen by ALPN. The server owns it, and it outlives the handler's
// coroutine. When a drain begins, `stopping` turns true and the current wait of the stream is
// interrupted. The drain's deadline cuts the connection.
struct channel {
    stream* bytes;
    boost::asio::ip::address client;
    const bool* stopping;
    // Counts against the server's connection limit. A handler with its own limit releases it, so
    // that long connections do not keep other clients out.
    admission::permit* permit;
};

// Serves a channel until it ends.
using channel_handler = std::function<boost::asio::awaitable<void>(channel)>;

// The handlers of a listener.
struct service {
    std::shared_ptr<const router> routes;
    channel_handler channels = nullptr;  // none: every connection speaks HTTP
    // Logs unexpected failures, such as a handler that threw.
    std::function<void(std::string_view message)> report = nullptr;
};

}  // namespace muster::net::http

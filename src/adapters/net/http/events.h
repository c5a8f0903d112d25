#pragma once

#include "adapters/net/http/response.h"
#include "ports/async.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::net::http {

// Server-sent events: an answer that goes on. While its source waits for something to say, comments
// are sent as heartbeats, so that proxies keep the connection open, and a client that has gone, or
// a server that is stopping, ends the wait with an error.

struct event {
    std::string data;       // may have several lines
    std::string name = {};  // the event's type; empty: "message"
    std::string id = {};    // what a client that comes back names in Last-Event-ID
};

// A small handle: pass it by value.
class event_writer {
public:
    explicit event_writer(body_writer to) : to_(to) {}

    async<void> send(event next);

    // Waits for `work` and keeps the connection alive meanwhile. An error of the connection
    // cancels the work.
    template <class T>
    async<T> next(async<T> work) {
        return race(*this, std::move(work));
    }

private:
    // A static function, because a coroutine must not depend on a handle that may go away.
    template <class T>
    static async<T> race(event_writer self, async<T> work) {
        using boost::asio::experimental::awaitable_operators::operator||;
        auto first = co_await (std::move(work) || keep_alive(self.to_));
        if (first.index() == 1) co_return fail(std::get<1>(std::move(first)).error());
        co_return std::get<0>(std::move(first));
    }

    static async<void> keep_alive(body_writer to);

    body_writer to_;
};

using event_source = std::function<async<void>(event_writer)>;

// The answer that streams what `source` sends.
response event_stream(event_source source);

// As it stands on the wire. Line ends in `name` and `id` are dropped: they would end the field.
std::string to_text(const event& one);

}  // namespace muster::net::http

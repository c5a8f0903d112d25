#pragma once

#include "adapters/net/http/response.h"
#include "ports/async.h"
#include "ports/race.h"

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
        return unless(keep_alive(to_), std::move(work));
    }

private:
    // A static function, because a coroutine must not depend on a handle that may go away.
    static async<void> keep_alive(body_writer to);

    body_writer to_;
};

using event_source = std::function<async<void>(event_writer)>;

// The answer that streams what `source` sends.
response event_stream(event_source source);

// As it stands on the wire. Line ends in `name` and `id` are dropped: they would end the field.
std::string to_text(const event& event);

}  // namespace muster::net::http

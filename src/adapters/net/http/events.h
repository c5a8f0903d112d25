#pragma once

#include "adapters/net/http/response.h"
#include "ports/async.h"
#include "ports/race.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::net::http {

// Server-sent events. While the source waits for the next event, comments are sent as heartbeats,
// so that proxies keep the connection open. The wait ends with an error when the client disconnects
// or the server stops.

struct event {
    std::string data;       // may have several lines
    std::string name = {};  // the event's type; empty: "message"
    std::string id = {};    // sent back by a reconnecting client in Last-Event-ID
};

// A small handle: pass it by value.
class event_writer {
public:
    explicit event_writer(body_writer body) : body_(body) {}

    async<void> send(http::event event);

    // Waits for `work` and sends heartbeats meanwhile. A connection error cancels the work.
    template <class T>
    async<T> next(async<T> work) {
        return await_unless(keep_alive(body_), std::move(work));
    }

private:
    // Static, because the coroutine may outlive this handle.
    static async<void> keep_alive(body_writer body);

    body_writer body_;
};

using event_source = std::function<async<void>(event_writer)>;

// Returns the response that streams the events of `source`.
response event_stream(event_source source);

// Encodes an event. Line ends in `name` and `id` are dropped, because they would end the field.
std::string to_text(const event& event);

}  // namespace muster::net::http

#pragma once

#include "adapters/net/http/events.h"
#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "core/model/system.h"
#include "roles/events/event_json.h"
#include "roles/events/event_log.h"
#include "roles/events/event_tail.h"
#include "roles/gateway/office.h"
#include "roles/gateway/stream_seats.h"
#include "runtime/metrics.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace muster::gateway {

// GET /api/v1/events, and /events, which is the same: what happened, page by page from a cursor, or
// as server-sent events without an end. ?since= is a cursor (or a client's Last-Event-ID), `now`, a
// time, or a span such as -1h; without it everything that is kept. ?kind=, ?job=, ?system= choose,
// ?limit= bounds a page, ?for=30s ends a stream. A server has so many streams at once and no more:
// who comes then is told 503 and when to come again. Handlers run on any event loop.
class events_api {
public:
    struct surroundings {
        const front_desk& desk;
        events::event_log& log;
        events::event_tail& tail;
        clock& time;
        // By number, fingerprint or name.
        std::function<result<system_number>(const std::string&)> system;
        events::system_names names;
        std::size_t streams_max = 256;
    };

    explicit events_api(surroundings around)
        : around_(std::move(around)), seats_(around_.streams_max) {}

    result<void> add_routes(net::http::router& routes);
    void export_to(runtime::metrics& where) const;

private:
    using answer = async<net::http::response>;
    struct question {
        events::event_filter wanted;
        events::event_position from;
        std::size_t limit = 0;
        std::optional<instant> until;  // of a stream
        std::string since;             // as it was asked for
    };

    answer answer_to(net::http::request asked);
    result<question> read_question(const net::http::request& asked) const;
    async<events::event_position> position_of(std::string since) const;
    answer page(question what) const;
    net::http::response stream(question what);
    async<void> send(net::http::event_writer to, question what) const;

    surroundings around_;
    stream_seats seats_;
};

}  // namespace muster::gateway

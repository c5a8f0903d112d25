#pragma once

#include "adapters/net/http/events.h"
#include "api/operations/registry.h"
#include "api/operations/stream_limiter.h"
#include "api/rest/event_visibility_filter.h"
#include "core/model/system.h"
#include "runtime/metrics.h"
#include "services/events/event_json.h"
#include "services/events/event_log.h"
#include "services/events/event_watcher.h"

#include <boost/json/array.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::api {

// Lists events in pages, forwards or backwards, or streams them (SSE), filtered to what the caller
// may see (event_visibility_filter.h). The number of streams is limited; further ones get 503 with
// Retry-After. Thread-safe.
class events_api {
public:
    struct dependencies {
        events::event_log& log;
        events::event_watcher& watcher;
        muster::clock& clock;
        const system_directory& systems;
        const events::system_names& names;
        std::size_t streams_max = 256;
    };

    explicit events_api(dependencies deps)
        : deps_(std::move(deps)), stream_limiter_(deps_.streams_max) {}

    result<void> declare(registry& operations);
    void export_to(runtime::metrics& metrics) const;

private:
    struct event_query {
        events::event_filter filter;
        event_visibility_filter visibility;
        events::event_position position = {};
        std::size_t limit = 0;
        std::optional<instant> deadline = {};  // of a stream
        std::string since = {};                // as requested
        std::string before = {};               // of a backward page
        bool newest_first = false;
    };

    using seen_events = std::vector<events::event_log::item>;

    async<reply> list(call call);
    result<event_query> read_query(const call& call) const;
    async<events::event_position> find_position(std::string since) const;
    boost::json::array to_json(const event_query& event_query, seen_events events) const;
    async<reply> page(event_query event_query) const;
    async<reply> page_back(event_query event_query) const;
    result<reply> stream(event_query event_query);
    async<void> send(net::http::event_writer writer, event_query event_query) const;

    dependencies deps_;
    stream_limiter stream_limiter_;
};

}  // namespace muster::api

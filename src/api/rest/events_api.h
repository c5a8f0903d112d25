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

// What happened, page by page from a cursor, on or back, or as server-sent events without an end,
// as far as it happened where the reader may look (event_visibility_filter.h). A server has so many
// streams at once and no more: who comes then is told 503 and when to come again.
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

    explicit events_api(dependencies deps) : deps_(std::move(deps)), seats_(deps_.streams_max) {}

    result<void> declare(registry& to);
    void export_to(runtime::metrics& where) const;

private:
    struct question {
        events::event_filter wanted;
        event_visibility_filter sight;
        events::event_position from = {};
        std::size_t limit = 0;
        std::optional<instant> until = {};  // of a stream
        std::string since = {};             // as it was asked for
        std::string before = {};            // of a page that goes back
        bool newest_first = false;
    };

    using seen_events = std::vector<events::event_log::item>;

    async<reply> answer_to(call call);
    result<question> read_question(const call& call) const;
    async<events::event_position> position_of(std::string since) const;
    boost::json::array told(const question& question, seen_events all) const;
    async<reply> page(question question) const;
    async<reply> page_back(question question) const;
    result<reply> stream(question question);
    async<void> send(net::http::event_writer to, question question) const;

    dependencies deps_;
    stream_limiter seats_;
};

}  // namespace muster::api

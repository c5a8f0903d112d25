#include "roles/gateway/events_api.h"

#include "ports/deadline.h"
#include "roles/gateway/job_request.h"
#include "roles/gateway/page_limit.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace muster::gateway {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t stream_page = 500;
constexpr auto stream_patience = 2'000ms;

bool wants_stream(const http::request& asked) {
    return asked.field("accept").value_or("").contains("text/event-stream");
}

result<events::event_filter> read_filter(const http::request& asked) {
    TRY(auto wanted, events::filter_of(std::string_view(asked.query("kind").value_or(""))));
    if (const auto job = asked.query("job")) {
        TRY(wanted.job, parse_job_id(*job));
    }
    return wanted;
}

// "-1h", or a moment as jobs have it.
result<wall_time> read_moment(const std::string& text, wall_time now) {
    if (!text.starts_with('-')) return parse_moment(text, now);
    TRY(const auto span, runtime::parse_duration(std::string_view(text).substr(1)));
    return now - std::chrono::duration_cast<wall_time::duration>(span);
}

async<http::response> settled(async<http::response> work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

}  // namespace

result<void> events_api::add_routes(http::router& routes) {
    for (const auto* const path : {"/api/v1/events", "/events"}) {
        const http::handler handle = [this](http::request asked) {
            return settled(answer_to(std::move(asked)));
        };
        CHECK_OK(routes.add("GET", path, {handle}));
    }
    return {};
}

async<events::event_position> events_api::position_of(std::string since) const {
    if (since.empty()) co_return events::event_position();
    if (const auto cursor = events::parse_event_position(since)) co_return *cursor;
    if (since == "now") co_return co_await around_.log.end();
    const auto when = read_moment(since, around_.time.wall());
    if (!when)
        co_return fail(
            errc::invalid,
            "`since` must be a cursor such as 12.345, a time such as 2026-11-16T22:00:00Z, a span "
            "such as -1h, or now");
    co_return co_await around_.log.position_at(*when);
}

result<events_api::question> events_api::read_question(const http::request& asked) const {
    question what;
    TRY(what.wanted, read_filter(asked));
    if (const auto system = asked.query("system")) {
        TRY(const auto number, around_.system(*system));
        what.wanted.system = number.value();
    }
    TRY(what.limit, page_limit_of(asked));
    if (const auto patience = asked.query("for")) {
        TRY(const auto span, runtime::parse_duration(*patience));
        what.until = around_.time.now() + span;
    }
    what.since = asked.query("since").value_or("");
    // A client that comes back after a break knows better than the address it first asked.
    const auto last = asked.field("last-event-id").value_or("");
    if (wants_stream(asked) && !last.empty()) what.since = std::string(last);
    return what;
}

events_api::answer events_api::answer_to(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(auto what, read_question(asked));
    auto finding = position_of(what.since);
    CO_TRY(what.from, co_await within(around_.time, engine_patience, std::move(finding)));
    if (!wants_stream(asked)) co_return co_await page(std::move(what));
    co_return stream(std::move(what));
}

http::response events_api::stream(question what) {
    auto seat = seats_.take();
    if (!seat)
        return http::problem(error(
            errc::unavailable,
            "this server has " + std::to_string(seats_.most())
                + " streams of events already; come again later, ask another server, or read page "
                  "by page"));
    return http::event_stream(
        [this, what = std::move(what), seat](http::event_writer to) { return send(to, what); });
}

void events_api::export_to(runtime::metrics& where) const {
    where.watch_gauge({"muster_event_streams", "Streams of events that are open."}, [this] {
        return static_cast<double>(seats_.taken());
    });
    where.watch_counter(
        {"muster_event_streams_refused_total", "Streams of events refused: there were too many."},
        [this] { return static_cast<double>(seats_.refused()); });
}

events_api::answer events_api::page(question what) const {
    auto reading = around_.log.read(what.wanted, what.from, what.limit);
    CO_TRY(const auto read, co_await within(around_.time, engine_patience, std::move(reading)));
    json::array items;
    for (const auto& each : read.items) items.push_back(event_json(each, around_.names));
    const json::object told{
        {"items", std::move(items)}, {"next", to_string(read.next)}, {"more", read.more}};
    co_return no_store(http::json(200, json::serialize(told)));
}

// Whoever reads slowly holds up nothing but this loop: what is not read yet stays in the ledger.
async<void> events_api::send(http::event_writer to, question what) const {
    while (true) {
        auto reading = around_.log.read(what.wanted, what.from, stream_page);
        CO_TRY(
            const auto read,
            co_await to.next(within(around_.time, engine_patience, std::move(reading))));
        for (const auto& each : read.items) {
            http::event one{
                .data = json::serialize(event_json(each, around_.names)),
                .name = each.event.kind,
                .id = to_string(each.at)};
            CO_CHECK_OK(co_await to.send(std::move(one)));
        }
        what.from = read.next;
        if (what.until && around_.time.now() >= *what.until) co_return result<void>();
        if (read.more) continue;
        CO_CHECK_OK(co_await to.next(around_.tail.wait(what.wanted, what.from, stream_patience)));
    }
}

}  // namespace muster::gateway

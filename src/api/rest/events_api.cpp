#include "api/rest/events_api.h"

#include "api/operations/pagination.h"
#include "api/rest/job_request.h"
#include "ports/deadline.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t stream_page = 500;
constexpr auto stream_timeout = 2'000ms;

result<events::event_filter> read_filter(const call& call) {
    const auto kind = call.optional_text("kind").value_or("");
    TRY(auto filter, events::filter_of(std::string_view(kind)));
    if (const auto job = call.optional_text("job")) {
        TRY(filter.job, parse_job_id(*job));
    }
    return filter;
}

// "-1h", or a time as in job requests.
result<wall_time> read_time(const std::string& text, wall_time now) {
    if (!text.starts_with('-')) return parse_moment(text, now);
    TRY(const auto span, runtime::parse_duration(std::string_view(text).substr(1)));
    return now - std::chrono::duration_cast<wall_time::duration>(span);
}

}  // namespace

result<void> events_api::declare(registry& operations) {
    using namespace api;
    operation operation{
        .name = "events.list",
        .summary = "List events, or follow events with Accept: text/event-stream",
        .path = "/api/v1/events",
        .takes =
            {in_query(
                 "since",
                 text().with_about(
                     "cursor, `now`, time, or duration such as -1h (default: all stored events)")),
             in_query("kind", text().with_about("comma-separated event kinds, such as job.*")),
             in_query("job", name()),
             in_query("system", name()),
             in_query(
                 "order",
                 text()
                     .with_choices({"oldest", "newest"})
                     .with_about("newest: from the end back to `since` (default oldest)")),
             in_query(
                 "before", text().with_about("with order=newest: `next` of the previous page")),
             in_query("for", text().with_about("duration after which a stream ends, such as 30s")),
             limit_parameter()},
        .gives = record_of(
            {required("items", list_of(anything())),
             required("next", text().with_about("cursor of the next page")),
             required("more", flag()),
             optional("end", text().with_about("with order=newest: cursor after the last event"))}),
        .needed = access::right::events_read,
        .within = scope::filtered};
    auto short_path = operation;
    short_path.name = "events.follow";
    short_path.path = "/events";
    CHECK_OK(operations.add(std::move(operation), handler(this, &events_api::list)));
    return operations.add(std::move(short_path), handler(this, &events_api::list));
}

async<events::event_position> events_api::find_position(std::string since) const {
    if (since.empty()) co_return events::event_position();
    if (const auto cursor = events::parse_event_position(since)) co_return *cursor;
    if (since == "now") co_return co_await deps_.log.end();
    const auto time = read_time(since, deps_.clock.wall());
    if (!time)
        co_return fail(
            errc::invalid,
            "`since` must be a cursor such as 12.345, a time such as 2026-11-16T22:00:00Z, a "
            "duration such as -1h, or now");
    co_return co_await deps_.log.position_at(*time);
}

result<events_api::event_query> events_api::read_query(const call& call) const {
    TRY(auto filter, read_filter(call));
    event_query query{
        .filter = std::move(filter),
        .visibility = event_visibility_filter(call.zones(), deps_.names)};
    if (const auto system = call.optional_text("system")) {
        TRY(const auto number, deps_.systems.find(*system));
        if (!query.visibility.is_visible(number.value()))
            return fail(errc::not_found, "system \"" + *system + "\" not found");
        query.filter.system = number.value();
    }
    query.limit = page_limit_of(call);
    if (const auto timeout = call.optional_text("for")) {
        TRY(const auto span, runtime::parse_duration(*timeout));
        query.deadline = deps_.clock.now() + span;
    }
    query.since = call.optional_text("since").value_or("");
    query.newest_first = call.optional_text("order") == "newest";
    if (query.newest_first && call.wants_events)
        return fail(errc::invalid, "streams do not support order=newest; remove `order`");
    const auto before = call.optional_text("before");
    if (before && !query.newest_first)
        return fail(errc::invalid, "`before` requires order=newest; use `since` to continue");
    query.before = before.value_or("");
    // After a reconnect, Last-Event-ID is newer than the URL's `since`.
    if (call.wants_events && !call.last_event.empty()) query.since = call.last_event;
    return query;
}

async<reply> events_api::list(call call) {
    CO_TRY(auto query, read_query(call));
    auto pending_lookup = find_position(query.since);
    CO_TRY(query.position, co_await within(deps_.clock, engine_timeout, std::move(pending_lookup)));
    if (query.newest_first) co_return co_await page_back(std::move(query));
    if (!call.wants_events) co_return co_await page(std::move(query));
    co_return stream(std::move(query));
}

result<reply> events_api::stream(event_query query) {
    auto permit = stream_limiter_.acquire();
    if (!permit)
        return fail(
            errc::unavailable,
            "limit of " + std::to_string(stream_limiter_.limit())
                + " event streams on this server reached; retry later, use another server, or "
                  "read pages");
    reply result;
    result.stream = [this, query = std::move(query), permit](http::event_writer writer) {
        return send(writer, query);
    };
    return result;
}

void events_api::export_to(runtime::metrics& metrics) const {
    metrics.watch_gauge({"muster_event_streams", "Number of open event streams."}, [this] {
        return static_cast<double>(stream_limiter_.in_use());
    });
    metrics.watch_counter(
        {"muster_event_streams_refused_total",
         "Total number of event streams refused since start because of the limit."},
        [this] { return static_cast<double>(stream_limiter_.refused()); });
}

json::array events_api::to_json(const event_query& query, seen_events events) const {
    json::array items;
    for (const auto& item : query.visibility.filter(std::move(events)))
        items.push_back(event_json(item, deps_.names));
    return items;
}

async<reply> events_api::page(event_query query) const {
    auto pending_read = deps_.log.read(query.filter, query.position, query.limit);
    CO_TRY(auto result_page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    co_return reply{json::object{
        {"items", to_json(query, std::move(result_page.items))},
        {"next", to_string(result_page.next)},
        {"more", result_page.more}}};
}

async<reply> events_api::page_back(event_query query) const {
    CO_TRY(const auto end, co_await within(deps_.clock, engine_timeout, deps_.log.end()));
    events::event_log::reverse_read range{.before = end, .oldest = query.position};
    if (!query.before.empty()) {
        const auto cursor = events::parse_event_position(query.before);
        if (!cursor)
            co_return fail(errc::invalid, "`before` must be the `next` value of the previous page");
        range.before = *cursor;
    }
    auto pending_read = deps_.log.read_back(query.filter, range, query.limit);
    CO_TRY(auto result_page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    co_return reply{json::object{
        {"items", to_json(query, std::move(result_page.items))},
        {"next", to_string(result_page.next)},
        {"more", result_page.more},
        {"end", to_string(end)}}};
}

// A slow client blocks only this loop: unsent events stay in the ledger.
async<void> events_api::send(http::event_writer writer, event_query query) const {
    while (true) {
        auto pending_read = deps_.log.read(query.filter, query.position, stream_page);
        CO_TRY(
            auto result_page,
            co_await writer.next(within(deps_.clock, engine_timeout, std::move(pending_read))));
        for (const auto& item : query.visibility.filter(std::move(result_page.items))) {
            http::event event{
                .data = json::serialize(event_json(item, deps_.names)),
                .name = item.event.kind,
                .id = to_string(item.at)};
            CO_CHECK_OK(co_await writer.send(std::move(event)));
        }
        query.position = result_page.next;
        if (query.deadline && deps_.clock.now() >= *query.deadline) co_return result<void>();
        if (result_page.more) continue;
        CO_CHECK_OK(
            co_await writer.next(deps_.watcher.wait(query.filter, query.position, stream_timeout)));
    }
}

}  // namespace muster::api

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

// "-1h", or a moment as jobs have it.
result<wall_time> read_moment(const std::string& text, wall_time now) {
    if (!text.starts_with('-')) return parse_moment(text, now);
    TRY(const auto span, runtime::parse_duration(std::string_view(text).substr(1)));
    return now - std::chrono::duration_cast<wall_time::duration>(span);
}

}  // namespace

result<void> events_api::declare(registry& to) {
    using namespace api;
    operation operation{
        .name = "events.list",
        .summary = "What happened, in pages; with Accept: text/event-stream without an end",
        .path = "/api/v1/events",
        .takes =
            {in_query(
                 "since",
                 text().with_about(
                     "a cursor, `now`, a time, or a span such as -1h; if not given all that is "
                     "kept")),
             in_query("kind", text().with_about("such as job.*, or several with commas")),
             in_query("job", name()),
             in_query("system", name()),
             in_query(
                 "order",
                 text()
                     .with_choices({"oldest", "newest"})
                     .with_about("newest: from the end back to `since`; oldest if not given")),
             in_query(
                 "before", text().with_about("with newest: `next` of the page before, to go on")),
             in_query("for", text().with_about("ends a stream after this time: 30s")),
             limit_parameter()},
        .gives = record_of(
            {required("items", list_of(anything())),
             required("next", text().with_about("the cursor to go on from")),
             required("more", flag()),
             optional("end", text().with_about("with newest: the cursor behind all there is"))}),
        .needed = access::right::events_read,
        .within = scope::filtered};
    auto brief = operation;
    brief.name = "events.follow";
    brief.path = "/events";
    CHECK_OK(to.add(std::move(operation), done_by(this, &events_api::answer_to)));
    return to.add(std::move(brief), done_by(this, &events_api::answer_to));
}

async<events::event_position> events_api::position_of(std::string since) const {
    if (since.empty()) co_return events::event_position();
    if (const auto cursor = events::parse_event_position(since)) co_return *cursor;
    if (since == "now") co_return co_await deps_.log.end();
    const auto when = read_moment(since, deps_.clock.wall());
    if (!when)
        co_return fail(
            errc::invalid,
            "`since` must be a cursor such as 12.345, a time such as 2026-11-16T22:00:00Z, a span "
            "such as -1h, or now");
    co_return co_await deps_.log.position_at(*when);
}

result<events_api::question> events_api::read_question(const call& call) const {
    TRY(auto filter, read_filter(call));
    question question{
        .wanted = std::move(filter), .sight = event_visibility_filter(call.zones(), deps_.names)};
    if (const auto system = call.optional_text("system")) {
        TRY(const auto number, deps_.systems.find(*system));
        if (!question.sight.sees(number.value()))
            return fail(errc::not_found, "there is no system " + *system);
        question.wanted.system = number.value();
    }
    question.limit = page_limit_of(call);
    if (const auto timeout = call.optional_text("for")) {
        TRY(const auto span, runtime::parse_duration(*timeout));
        question.until = deps_.clock.now() + span;
    }
    question.since = call.optional_text("since").value_or("");
    question.newest_first = call.optional_text("order") == "newest";
    if (question.newest_first && call.wants_events)
        return fail(errc::invalid, "a stream goes on and not back: leave out `order`");
    const auto before = call.optional_text("before");
    if (before && !question.newest_first)
        return fail(errc::invalid, "`before` is for order=newest; to go on, use `since`");
    question.before = before.value_or("");
    // A client that comes back after a break knows better than the address it first asked.
    if (call.wants_events && !call.last_event.empty()) question.since = call.last_event;
    return question;
}

async<reply> events_api::answer_to(call call) {
    CO_TRY(auto question, read_question(call));
    auto finding = position_of(question.since);
    CO_TRY(question.from, co_await within(deps_.clock, engine_timeout, std::move(finding)));
    if (question.newest_first) co_return co_await page_back(std::move(question));
    if (!call.wants_events) co_return co_await page(std::move(question));
    co_return stream(std::move(question));
}

result<reply> events_api::stream(question question) {
    auto seat = seats_.take();
    if (!seat)
        return fail(
            errc::unavailable,
            "this server has " + std::to_string(seats_.most())
                + " streams of events already; come again later, ask another server, or read page "
                  "by page");
    reply result;
    result.stream = [this, question = std::move(question), seat](http::event_writer to) {
        return send(to, question);
    };
    return result;
}

void events_api::export_to(runtime::metrics& where) const {
    where.watch_gauge({"muster_event_streams", "Streams of events that are open."}, [this] {
        return static_cast<double>(seats_.taken());
    });
    where.watch_counter(
        {"muster_event_streams_refused_total", "Streams of events refused: there were too many."},
        [this] { return static_cast<double>(seats_.refused()); });
}

json::array events_api::told(const question& question, seen_events all) const {
    json::array items;
    for (const auto& each : question.sight.of(std::move(all)))
        items.push_back(event_json(each, deps_.names));
    return items;
}

async<reply> events_api::page(question question) const {
    auto reading = deps_.log.read(question.wanted, question.from, question.limit);
    CO_TRY(auto read, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    co_return reply{json::object{
        {"items", told(question, std::move(read.items))},
        {"next", to_string(read.next)},
        {"more", read.more}}};
}

async<reply> events_api::page_back(question question) const {
    CO_TRY(const auto end, co_await within(deps_.clock, engine_timeout, deps_.log.end()));
    events::event_log::past where{.before = end, .oldest = question.from};
    if (!question.before.empty()) {
        const auto cursor = events::parse_event_position(question.before);
        if (!cursor)
            co_return fail(errc::invalid, "`before` must be the `next` of the page before");
        where.before = *cursor;
    }
    auto reading = deps_.log.read_back(question.wanted, where, question.limit);
    CO_TRY(auto read, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    co_return reply{json::object{
        {"items", told(question, std::move(read.items))},
        {"next", to_string(read.next)},
        {"more", read.more},
        {"end", to_string(end)}}};
}

// Whoever reads slowly holds up nothing but this loop: what is not read yet stays in the ledger.
async<void> events_api::send(http::event_writer to, question question) const {
    while (true) {
        auto reading = deps_.log.read(question.wanted, question.from, stream_page);
        CO_TRY(
            auto read, co_await to.next(within(deps_.clock, engine_timeout, std::move(reading))));
        for (const auto& item : question.sight.of(std::move(read.items))) {
            http::event event{
                .data = json::serialize(event_json(item, deps_.names)),
                .name = item.event.kind,
                .id = to_string(item.at)};
            CO_CHECK_OK(co_await to.send(std::move(event)));
        }
        question.from = read.next;
        if (question.until && deps_.clock.now() >= *question.until) co_return result<void>();
        if (read.more) continue;
        CO_CHECK_OK(
            co_await to.next(deps_.watcher.wait(question.wanted, question.from, stream_timeout)));
    }
}

}  // namespace muster::api

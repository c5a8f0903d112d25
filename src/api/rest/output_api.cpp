#include "api/rest/output_api.h"

#include "api/rest/job_json.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr auto look = 200ms;      // after something ended: what does the record say?
constexpr auto away_look = 1s;    // while no node can be asked
constexpr auto record_look = 2s;  // while one tells
constexpr auto last_bytes = 2s;   // a node has so long to tell the end of what has ended
constexpr auto payload_timeout = 30s;

async<void> send_all(http::event_writer to, task_output_events::events events) {
    for (auto& each : events) {
        CO_CHECK_OK(co_await to.send(std::move(each)));
    }
    co_return result<void>();
}

// What a node says, or its trouble: neither is an error of the watcher.
using word = std::variant<jobs::output_piece, std::string>;

async<word> opened(output_stream* from, std::string url) {
    const auto done = co_await from->open(std::move(url));
    if (!done && done.error().code() == errc::cancelled) co_return fail(done.error());
    if (!done) co_return word(done.error().detail());
    co_return word(jobs::output_piece{});
}

async<word> heard(output_stream* from) {
    auto piece = co_await from->next();
    if (!piece && piece.error().code() == errc::cancelled) co_return fail(piece.error());
    if (!piece) co_return word(piece.error().detail());
    co_return word(*std::move(piece));
}

std::string path_of(job_id job, const output_position& from) {
    return "/tasks/" + to_string(job) + "/output?attempt=" + std::to_string(from.attempt)
           + "&from=" + std::to_string(from.offset);
}

}  // namespace

result<void> output_api::declare(registry& to) {
    using namespace api;
    return to.add(
        {.name = "tasks.output",
         .summary = "What a task writes while it runs, as events, until it has ended",
         .path = "/api/v1/jobs/{job}/tasks/{system}/output",
         .takes =
             {in_path("job", name()),
              in_path("system", name()),
              in_query("from", name().with_about("an offset, or the id of an event"))},
         .needed = access::right::jobs_read,
         .within = scope::system,
         .spans = span::by_system,
         .streams = true},
        done_by(this, &output_api::follow));
}

result<std::shared_ptr<void>> output_api::take_seat() {
    if (watchers_.fetch_add(1) >= watchers_max) {
        --watchers_;
        return fail(
            errc::unavailable, "too many watch tasks over this server now; try again later");
    }
    return std::shared_ptr<void>(nullptr, [this](void*) { --watchers_; });
}

async<reply> output_api::follow(call call) {
    auto from = call.optional_text("from").value_or(call.last_event);
    if (from.empty()) from = "0";
    const auto position = parse_output_position(from);
    if (!position) co_return fail(errc::invalid, "`from` must be an offset, or the id of an event");
    CO_TRY(const auto job, co_await deps_.reader.find(call.text("job")));
    CO_TRY(const auto system, deps_.targets.one(call.text("system")));
    auto reading = deps_.reader.records().audience(job.record.job);
    CO_TRY(const auto who, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    if (!who.targets.contains(system))
        co_return fail(
            errc::not_found,
            "system " + call.text("system") + " is no target of job " + to_string(job.record.job));
    CO_TRY(auto seat, take_seat());
    const watch watch{
        .job = job.record.job, .system = system, .from = *position, .seat = std::move(seat)};
    reply result;
    result.stream = [this, watch](http::event_writer to) {
        return send(to, watch);
    };
    co_return result;
}

async<output_api::task_position> output_api::read(watch watch) const {
    CO_TRY(const auto job, co_await deps_.reader.find(watch.job));
    auto reading = deps_.reader.records().find_task(watch.job, watch.system.value());
    CO_TRY(auto row, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    task_position task_position;
    if (row) task_position.row = std::move(row->record);
    task_position.state =
        state_of(task_position.row ? &*task_position.row : nullptr, job.record.stage);
    co_return task_position;
}

async<void> output_api::send(http::event_writer to, watch watch) const {
    task_output_events task_output_events(watch.from);
    std::string trouble;
    while (true) {
        CO_TRY(auto now, co_await to.next(read(watch)));
        if (is_end(now.state))
            co_return co_await tell_end(to, watch, &task_output_events, std::move(now));
        CO_CHECK_OK(
            co_await send_all(to, task_output_events.state(now.state, now.attempt(), trouble)));
        // Between an attempt's end and its record there is nothing to be heard.
        if (!task_output_events.is_over(now.attempt().value_or(1))) {
            CO_TRY(trouble, co_await relay(to, watch, &task_output_events));
        }
        CO_CHECK_OK(co_await to.next(deps_.clock.sleep_for(trouble.empty() ? look : away_look)));
    }
}

// Until the attempt has ended, the system has moved, or its node tells no more: then why.
async<std::string> output_api::relay(
    http::event_writer to, watch watch, task_output_events* task_output_events) const {
    const auto place = deps_.nodes.where(watch.system);
    if (!place) co_return place.error().detail();
    auto how = deps_.nodes.client_options();
    if (!how) co_return how.error().detail();
    output_stream from(*std::move(how));
    auto url =
        node_client::url(*place, watch.system, path_of(watch.job, task_output_events->position()));
    CO_TRY(auto message, co_await to.next(opened(&from, std::move(url))));
    auto look_at = deps_.clock.now() + record_look;
    auto until = instant::max();
    while (const auto* piece = std::get_if<jobs::output_piece>(&message)) {
        CO_CHECK_OK(co_await send_all(to, task_output_events->take(*piece)));
        const auto now = deps_.clock.now();
        if (piece->ended || now >= until) co_return std::string();
        if (now >= look_at) {
            look_at = now + record_look;
            const auto served = deps_.nodes.where(watch.system);
            if (!served || *served != *place) co_return std::string();
            CO_TRY(const auto stands, co_await to.next(read(watch)));
            if (is_end(stands.state)) {
                until = std::min(until, now + last_bytes);
            } else {
                CO_CHECK_OK(co_await send_all(
                    to, task_output_events->state(stands.state, stands.attempt(), {})));
            }
        }
        CO_TRY(message, co_await to.next(heard(&from)));
    }
    co_return std::get<std::string>(std::move(message));
}

async<void> output_api::tell_end(
    http::event_writer to,
    watch watch,
    task_output_events* task_output_events,
    task_position ended) const {
    if (ended.row && !task_output_events->shown_live()) {
        CO_TRY(
            const auto payload,
            co_await recorded_output(to, watch, task_output_events, *ended.row));
        CO_CHECK_OK(co_await send_all(to, task_output_events->stored(payload)));
    }
    auto task = task_json(ended.state, ended.row ? &*ended.row : nullptr);
    task["system"] = watch.system.value();
    task["name"] = deps_.targets.name_of(watch.system);
    co_return co_await send_all(to, task_output_events->end(std::move(task)));
}

// A report is on record first; its payload follows.
async<std::string> output_api::recorded_output(
    http::event_writer to,
    watch watch,
    task_output_events* task_output_events,
    task_record ended) const {
    if (!ended.inline_payload.empty() || ended.digest.empty()) co_return ended.inline_payload;
    const auto until = deps_.clock.now() + payload_timeout;
    while (true) {
        CO_TRY(auto match, co_await to.next(deps_.reader.payload(watch.job, ended.digest)));
        if (match) co_return *std::move(match);
        if (deps_.clock.now() >= until) co_return std::string();
        CO_CHECK_OK(co_await send_all(
            to, task_output_events->state(ended.state, ended.attempt, "its output is on its way")));
        CO_CHECK_OK(co_await to.next(deps_.clock.sleep_for(look)));
    }
}

}  // namespace muster::api

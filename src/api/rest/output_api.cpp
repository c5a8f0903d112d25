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

constexpr auto poll_interval = 200ms;  // until the stored record shows the end
constexpr auto retry_interval = 1s;    // while no node is reachable
constexpr auto record_interval = 2s;   // while a node sends output
constexpr auto tail_timeout = 2s;      // for the last output of an ended task
constexpr auto payload_timeout = 30s;

async<void> send_all(http::event_writer writer, task_output_events::events events) {
    for (auto& event : events) {
        CO_CHECK_OK(co_await writer.send(std::move(event)));
    }
    co_return result<void>();
}

// Output of a node, or a problem of the node. Neither is an error of the client's stream.
using node_message = std::variant<jobs::output_piece, std::string>;

async<node_message> open_stream(output_stream* stream, std::string url) {
    const auto outcome = co_await stream->open(std::move(url));
    if (!outcome && outcome.error().code() == errc::cancelled) co_return fail(outcome.error());
    if (!outcome) co_return node_message(outcome.error().detail());
    co_return node_message(jobs::output_piece{});
}

async<node_message> read_stream(output_stream* stream) {
    auto piece = co_await stream->next();
    if (!piece && piece.error().code() == errc::cancelled) co_return fail(piece.error());
    if (!piece) co_return node_message(piece.error().detail());
    co_return node_message(*std::move(piece));
}

std::string output_path(job_id job, const output_position& position) {
    return "/tasks/" + to_string(job) + "/output?attempt=" + std::to_string(position.attempt)
           + "&from=" + std::to_string(position.offset);
}

}  // namespace

result<void> output_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "tasks.output",
         .summary = "Follow the output of a task until its end",
         .path = "/api/v1/jobs/{job}/tasks/{system}/output",
         .takes =
             {in_path("job", name()),
              in_path("system", name()),
              in_query("from", name().with_about("offset or event ID"))},
         .needed = access::right::jobs_read,
         .within = scope::system,
         .spans = span::by_system,
         .streams = true},
        handler(this, &output_api::follow));
}

result<std::shared_ptr<void>> output_api::acquire_permit() {
    if (streams_.fetch_add(1) >= streams_max) {
        --streams_;
        return fail(
            errc::unavailable,
            "limit of " + std::to_string(streams_max)
                + " task output streams on this server reached; retry later");
    }
    return std::shared_ptr<void>(nullptr, [this](void*) { --streams_; });
}

async<reply> output_api::follow(call call) {
    auto from = call.optional_text("from").value_or(call.last_event);
    if (from.empty()) from = "0";
    const auto position = parse_output_position(from);
    if (!position) co_return fail(errc::invalid, "`from` must be an offset or an event ID");
    CO_TRY(const auto job, co_await deps_.reader.find(call.text("job")));
    CO_TRY(const auto system, deps_.targets.one(call.text("system")));
    auto pending_read = deps_.reader.job_store().find_targets(job.record.job);
    CO_TRY(
        const auto job_targets,
        co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    if (!job_targets.systems.contains(system))
        co_return fail(
            errc::not_found,
            "system \"" + call.text("system") + "\" is not a target of job \""
                + to_string(job.record.job) + "\"");
    CO_TRY(auto permit, acquire_permit());
    const subscription subscription{
        .job = job.record.job,
        .system = system,
        .position = *position,
        .permit = std::move(permit)};
    reply result;
    result.stream = [this, subscription](http::event_writer writer) {
        return send(writer, subscription);
    };
    co_return result;
}

async<output_api::task_snapshot> output_api::read(subscription subscription) const {
    CO_TRY(const auto job, co_await deps_.reader.find(subscription.job));
    auto pending_read =
        deps_.reader.job_store().find_task(subscription.job, subscription.system.value());
    CO_TRY(auto row, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    task_snapshot snapshot;
    if (row) snapshot.row = std::move(row->record);
    snapshot.state = state_of(snapshot.row ? &*snapshot.row : nullptr, job.record.stage);
    co_return snapshot;
}

async<void> output_api::send(http::event_writer writer, subscription subscription) const {
    task_output_events events(subscription.position);
    std::string trouble;
    while (true) {
        CO_TRY(auto task, co_await writer.next(read(subscription)));
        if (is_final(task.state))
            co_return co_await send_end(writer, subscription, &events, std::move(task));
        CO_CHECK_OK(co_await send_all(writer, events.state(task.state, task.attempt(), trouble)));
        // Between the end of an attempt and its record there is no output.
        if (!events.is_finished(task.attempt().value_or(1))) {
            CO_TRY(trouble, co_await relay(writer, subscription, &events));
        }
        CO_CHECK_OK(co_await writer.next(
            deps_.clock.sleep_for(trouble.empty() ? poll_interval : retry_interval)));
    }
}

// Relays output until the attempt ends, the system moves, or the node fails. Returns the problem.
async<std::string> output_api::relay(
    http::event_writer writer, subscription subscription, task_output_events* events) const {
    const auto location = deps_.nodes.locate(subscription.system);
    if (!location) co_return location.error().detail();
    auto options = deps_.nodes.client_options();
    if (!options) co_return options.error().detail();
    output_stream stream(*std::move(options));
    auto url = node_client::url(
        *location, subscription.system, output_path(subscription.job, events->position()));
    CO_TRY(auto message, co_await writer.next(open_stream(&stream, std::move(url))));
    auto next_check = deps_.clock.now() + record_interval;
    auto deadline = instant::max();
    while (const auto* piece = std::get_if<jobs::output_piece>(&message)) {
        CO_CHECK_OK(co_await send_all(writer, events->add_piece(*piece)));
        const auto now = deps_.clock.now();
        if (piece->ended || now >= deadline) co_return std::string();
        if (now >= next_check) {
            next_check = now + record_interval;
            const auto current = deps_.nodes.locate(subscription.system);
            if (!current || *current != *location) co_return std::string();
            CO_TRY(const auto task, co_await writer.next(read(subscription)));
            if (is_final(task.state)) {
                deadline = std::min(deadline, now + tail_timeout);
            } else {
                CO_CHECK_OK(
                    co_await send_all(writer, events->state(task.state, task.attempt(), {})));
            }
        }
        CO_TRY(message, co_await writer.next(read_stream(&stream)));
    }
    co_return std::get<std::string>(std::move(message));
}

async<void> output_api::send_end(
    http::event_writer writer,
    subscription subscription,
    task_output_events* events,
    task_snapshot task) const {
    if (task.row && !events->has_live_output()) {
        CO_TRY(const auto payload, co_await read_payload(writer, subscription, events, *task.row));
        CO_CHECK_OK(co_await send_all(writer, events->add_stored(payload)));
    }
    auto task_fields = task_json(task.state, task.row ? &*task.row : nullptr);
    task_fields["system"] = subscription.system.value();
    task_fields["name"] = deps_.targets.name_of(subscription.system);
    co_return co_await send_all(writer, events->end(std::move(task_fields)));
}

// The task record is stored first; its payload follows.
async<std::string> output_api::read_payload(
    http::event_writer writer,
    subscription subscription,
    task_output_events* events,
    task_record task) const {
    if (!task.inline_payload.empty() || task.digest.empty()) co_return task.inline_payload;
    const auto deadline = deps_.clock.now() + payload_timeout;
    while (true) {
        CO_TRY(
            auto payload,
            co_await writer.next(deps_.reader.payload(subscription.job, task.digest)));
        if (payload) co_return *std::move(payload);
        if (deps_.clock.now() >= deadline) co_return std::string();
        CO_CHECK_OK(co_await send_all(
            writer, events->state(task.state, task.attempt, "output is being fetched")));
        CO_CHECK_OK(co_await writer.next(deps_.clock.sleep_for(poll_interval)));
    }
}

}  // namespace muster::api

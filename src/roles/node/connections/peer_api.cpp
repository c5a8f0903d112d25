#include "roles/node/connections/peer_api.h"

#include "base/iso_time.h"
#include "ports/deadline.h"
#include "ports/race.h"
#include "roles/node/dispatch/task_frames.h"

#include <boost/json.hpp>

#include <charconv>
#include <memory>
#include <utility>

namespace muster::node {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;
using dispatch::output_relay;
using muster::agent_protocol::TaskSignal;

constexpr auto keep_alive_interval = 1s;  // a gateway checks its own state at each piece

template <class Number>
result<Number> parse_number(std::string_view text, const char* name) {
    Number number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end)
        return fail(errc::invalid, std::string("`") + name + "` must be a number");
    return number;
}

result<output_relay::task> read_task(const http::request& request) {
    TRY(const auto system, parse_number<std::uint32_t>(request.capture("system"), "system"));
    TRY(const auto job, parse_job_id(request.capture("job")));
    return output_relay::task{.system = system_number(system), .job = job};
}

async<jobs::output_piece> next_or_keep_alive(output_relay::watcher* watcher, muster::clock* clock) {
    auto piece = co_await within(*clock, keep_alive_interval, watcher->next());
    if (!piece && piece.error().code() == errc::timed_out) co_return jobs::output_piece{};
    co_return piece;
}

async<void> write_pieces(
    std::shared_ptr<output_relay::watcher> watcher,
    muster::clock* clock,
    http::body_writer writer) {
    while (true) {
        auto next = next_or_keep_alive(watcher.get(), clock);
        CO_TRY(
            const auto piece,
            co_await await_unless(writer.connection().wait_for_disconnect(), std::move(next)));
        CO_CHECK_OK(co_await writer.write(encode(piece)));
        if (piece.ended) co_return result<void>();
    }
}

json::object task_json(const dispatch::listed_task& task) {
    return {
        {"job", to_string(task.job)},
        {"attempt", task.attempt},
        {"function", task.function},
        {"since", iso_time(task.since)},
        {"running", !task.is_waiting},
        {"where", task.progress}};
}

result<TaskSignal::Kind> read_kind(const http::request& request) {
    const auto kind = request.query("kind").value_or("");
    if (kind == "term") return TaskSignal::KIND_TERM;
    if (kind == "kill") return TaskSignal::KIND_KILL;
    if (kind == "cancel") return TaskSignal::KIND_CANCEL;
    return fail(errc::invalid, "`kind` must be term, kill or cancel");
}

}  // namespace

result<void> peer_api::add_routes(http::router& routes) {
    const std::string system_path = "/node/systems/{system}";
    const auto add = [&](const char* method,
                         const std::string& path,
                         response_task (peer_api::*handler)(http::request)) {
        return routes.add(
            method,
            path,
            {.handle = [this, handler](
                           http::request request) { return (this->*handler)(std::move(request)); },
             .allowed = http::caller::cluster_server,
             .body_bytes_max = 0});
    };
    CHECK_OK(add("GET", system_path + "/tasks/{job}/output", &peer_api::show_output));
    CHECK_OK(add("GET", system_path + "/running", &peer_api::list_running));
    return add("POST", system_path + "/tasks/{job}/signal", &peer_api::signal);
}

peer_api::response_task peer_api::show_output(http::request request) {
    CO_TRY(const auto task, read_task(request));
    output_relay::position position;
    CO_TRY(
        position.attempt,
        parse_number<std::uint32_t>(request.query("attempt").value_or("0"), "attempt"));
    CO_TRY(
        position.offset, parse_number<std::uint64_t>(request.query("from").value_or("0"), "from"));
    CO_TRY(auto watcher_result, observers_.output().watch(task, position));
    const std::shared_ptr<output_relay::watcher> watcher(std::move(watcher_result));
    co_return http::response{
        .status = 200,
        .fields = {{"content-type", "application/octet-stream"}},
        .stream = [watcher, clock = &clock_](http::body_writer writer) {
            return write_pieces(watcher, clock, writer);
        }};
}

peer_api::response_task peer_api::list_running(http::request request) {
    CO_TRY(const auto system, parse_number<std::uint32_t>(request.capture("system"), "system"));
    CO_TRY(const auto tasks, co_await observers_.task_query().list(system_number(system)));
    json::array items;
    for (const auto& task : tasks) items.push_back(task_json(task));
    co_return http::json(200, json::serialize(json::object{{"items", std::move(items)}}));
}

// Signals only tasks that the agent has now, so that the response lists them.
peer_api::response_task peer_api::signal(http::request request) {
    CO_TRY(const auto task, read_task(request));
    CO_TRY(const auto kind, read_kind(request));
    CO_TRY(const auto tasks, co_await observers_.task_query().list(task.system));
    json::array items;
    for (const auto& running : tasks) {
        if (running.job != task.job) continue;
        const rollout::attempt_key attempt{
            .job = running.job, .system = task.system, .attempt = running.attempt};
        if (!observers_.send(task.system, dispatch::signal_frame(attempt, kind)))
            co_return fail(errc::unavailable, "system is not attached to its node");
        items.push_back(task_json(running));
    }
    co_return http::json(200, json::serialize(json::object{{"items", std::move(items)}}));
}

}  // namespace muster::node

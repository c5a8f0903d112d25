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

constexpr auto sign_of_life = 1s;  // a gateway looks around whenever it hears something

template <class Number>
result<Number> number_in(std::string_view text, const char* what) {
    Number read = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, read);
    if (failure != std::errc() || stopped != end)
        return fail(errc::invalid, std::string("`") + what + "` must be a number");
    return read;
}

result<output_relay::task> task_in(const http::request& request) {
    TRY(const auto system, number_in<std::uint32_t>(request.captured("system"), "system"));
    TRY(const auto job, parse_job_id(request.captured("job")));
    return output_relay::task{.system = system_number(system), .job = job};
}

async<jobs::output_piece> next_or_sign(output_relay::watcher* from, muster::clock* clock) {
    auto piece = co_await within(*clock, sign_of_life, from->next());
    if (!piece && piece.error().code() == errc::timed_out) co_return jobs::output_piece{};
    co_return piece;
}

async<void> write_pieces(
    std::shared_ptr<output_relay::watcher> from, muster::clock* clock, http::body_writer to) {
    while (true) {
        auto next = next_or_sign(from.get(), clock);
        CO_TRY(const auto piece, co_await unless(to.connection().until_gone(), std::move(next)));
        CO_CHECK_OK(co_await to.write(encode(piece)));
        if (piece.ended) co_return result<void>();
    }
}

json::object told(const dispatch::listed_task& task) {
    return {
        {"job", to_string(task.job)},
        {"attempt", task.attempt},
        {"function", task.function},
        {"since", iso_time(task.since)},
        {"running", !task.waits},
        {"where", task.where}};
}

result<TaskSignal::Kind> kind_in(const http::request& request) {
    const auto kind = request.query("kind").value_or("");
    if (kind == "term") return TaskSignal::KIND_TERM;
    if (kind == "kill") return TaskSignal::KIND_KILL;
    if (kind == "cancel") return TaskSignal::KIND_CANCEL;
    return fail(errc::invalid, "`kind` must be term, kill or cancel");
}

}  // namespace

result<void> peer_api::add_routes(http::router& routes) {
    const std::string system = "/node/systems/{system}";
    const auto add = [&](const char* method,
                         const std::string& path,
                         answer (peer_api::*handler)(http::request)) {
        return routes.add(
            method,
            path,
            {.handle = [this, handler](
                           http::request request) { return (this->*handler)(std::move(request)); },
             .allowed = http::caller::cluster_server,
             .body_bytes_max = 0});
    };
    CHECK_OK(add("GET", system + "/tasks/{job}/output", &peer_api::show_output));
    CHECK_OK(add("GET", system + "/running", &peer_api::list_running));
    return add("POST", system + "/tasks/{job}/signal", &peer_api::signal);
}

peer_api::answer peer_api::show_output(http::request request) {
    CO_TRY(const auto what, task_in(request));
    output_relay::position from;
    CO_TRY(
        from.attempt, number_in<std::uint32_t>(request.query("attempt").value_or("0"), "attempt"));
    CO_TRY(from.offset, number_in<std::uint64_t>(request.query("from").value_or("0"), "from"));
    CO_TRY(auto result, watching_.output().watch(what, from));
    const std::shared_ptr<output_relay::watcher> watcher(std::move(result));
    co_return http::response{
        .status = 200,
        .fields = {{"content-type", "application/octet-stream"}},
        .stream = [watcher, clock = &clock_](http::body_writer to) {
            return write_pieces(watcher, clock, to);
        }};
}

peer_api::answer peer_api::list_running(http::request request) {
    CO_TRY(const auto system, number_in<std::uint32_t>(request.captured("system"), "system"));
    CO_TRY(const auto tasks, co_await watching_.lists().list(system_number(system)));
    json::array items;
    for (const auto& task : tasks) items.push_back(told(task));
    co_return http::json(200, json::serialize(json::object{{"items", std::move(items)}}));
}

// Only what the agent has now is signalled, so that the answer says what was.
peer_api::answer peer_api::signal(http::request request) {
    CO_TRY(const auto what, task_in(request));
    CO_TRY(const auto kind, kind_in(request));
    CO_TRY(const auto tasks, co_await watching_.lists().list(what.system));
    json::array items;
    for (const auto& each : tasks) {
        if (each.job != what.job) continue;
        const rollout::attempt_key task{
            .job = each.job, .system = what.system, .attempt = each.attempt};
        if (!watching_.send(what.system, dispatch::signal_frame(task, kind)))
            co_return fail(errc::unavailable, "the system is not attached to its node now");
        items.push_back(told(each));
    }
    co_return http::json(200, json::serialize(json::object{{"items", std::move(items)}}));
}

}  // namespace muster::node

#include "roles/gateway/running_api.h"

#include "ports/deadline.h"
#include "roles/gateway/job_json.h"
#include "roles/gateway/json_body.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = 1024;

// The items of a node's answer, or what it said was wrong.
result<json::array> items_of(const http::answer& told) {
    json::error_code failure;
    auto parsed = json::parse(told.body, failure);
    auto* const members = failure ? nullptr : parsed.if_object();
    if (members == nullptr) return fail(errc::unavailable, "the node's answer says nothing");
    if (auto* const items = members->if_contains("items");
        told.status == 200 && items != nullptr && items->is_array())
        return std::move(items->as_array());
    const auto* const detail = members->if_contains("detail");
    return fail(
        errc::unavailable,
        detail != nullptr && detail->is_string() ? json::value_to<std::string>(*detail)
                                                 : "the node could not say");
}

http::response shown(std::int64_t system, json::array items) {
    for (auto& each : items) {
        auto& task = each.as_object();
        const auto job = parse_job_id(json::value_to<std::string>(task.at("job")));
        if (job) task["href"] = address_of(*job) + "/tasks/" + std::to_string(system);
    }
    const json::object told{{"system", system}, {"items", std::move(items)}};
    return no_store(http::json(200, json::serialize(told)));
}

}  // namespace

running_api::answer running_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

result<void> running_api::add_routes(http::router& routes) {
    const std::string system = "/api/v1/systems/{id}";
    CHECK_OK(routes.add("GET", system + "/running", {[this](http::request asked) {
                            return settled(list(std::move(asked)));
                        }}));
    return routes.add(
        "POST",
        system + "/tasks/{job}/signal",
        {.handle = [this](http::request asked) { return settled(signal(std::move(asked))); },
         .body_bytes_max = body_bytes_max});
}

running_api::answer running_api::list(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto system, around_.targets.one(asked.captured("id")));
    CO_TRY(const auto told, co_await around_.nodes.ask(system, "GET", "/running"));
    CO_TRY(auto items, items_of(told));
    co_return shown(system.value(), std::move(items));
}

async<std::string> running_api::where(system_number system, job_id job) const {
    CO_TRY(const auto told, co_await around_.nodes.ask(system, "GET", "/running"));
    CO_TRY(const auto items, items_of(told));
    for (const auto& each : items) {
        const auto* const task = each.if_object();
        const auto* const id = task == nullptr ? nullptr : task->if_contains("job");
        const auto* const at = task == nullptr ? nullptr : task->if_contains("where");
        const bool meant = id != nullptr && id->is_string() && at != nullptr && at->is_string()
                           && json::value_to<std::string>(*id) == to_string(job);
        if (meant) co_return json::value_to<std::string>(*at);
    }
    co_return std::string();
}

async<json::array> running_api::tell_node(
    system_number system, job_id job, std::string which) const {
    auto path = "/tasks/" + to_string(job) + "/signal?kind=" + which;
    CO_TRY(const auto told, co_await around_.nodes.ask(system, "POST", std::move(path)));
    CO_TRY(auto items, items_of(told));
    if (items.empty())
        co_return fail(errc::not_found, "job " + to_string(job) + " does not run there now");
    co_return items;
}

running_api::answer running_api::signal(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto given, body.optional_text("signal"));
    CO_CHECK_OK(body.finish());
    const auto which = given.value_or("term");
    if (which != "term" && which != "kill" && which != "cancel")
        co_return fail(errc::invalid, "`signal` must be term, kill or cancel");
    const auto job = parse_job_id(asked.captured("job"));
    if (!job) co_return fail(errc::not_found, "there is no job " + asked.captured("job"));
    CO_TRY(const auto system, around_.targets.one(asked.captured("id")));
    auto done = co_await tell_node(system, *job, which);
    auto detail =
        which + " to job " + to_string(*job) + " on system " + std::to_string(system.value());
    if (!done) detail += ": " + done.error().detail();
    deed tried{
        .who = who.user,
        .what = "task.signal",
        .origin = who.origin,
        .outcome = done ? "done" : "refused",
        .detail = std::move(detail)};
    CO_CHECK_OK(
        co_await within(around_.time, engine_patience, who.desk->audit.record(std::move(tried))));
    if (!done) co_return fail(done.error());
    co_return shown(system.value(), *std::move(done));
}

}  // namespace muster::gateway

#include "api/rest/running_tasks_api.h"

#include "api/rest/job_json.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace http = net::http;
namespace json = boost::json;

api::shape running_shape() {
    using namespace api;
    return record_of(
        {required("system", integer(0)),
         required(
             "items",
             list_of(anything().with_about("a task: job, function, since, where it is, href")))});
}

// The items of a node's answer, or what it said was wrong.
result<json::array> items_of(const http::answer& answer) {
    json::error_code failure;
    auto parsed = json::parse(answer.body, failure);
    auto* const members = failure ? nullptr : parsed.if_object();
    if (members == nullptr) return fail(errc::unavailable, "the node's answer says nothing");
    if (auto* const items = members->if_contains("items");
        answer.status == 200 && items != nullptr && items->is_array())
        return std::move(items->as_array());
    const auto* const detail = members->if_contains("detail");
    return fail(
        errc::unavailable,
        detail != nullptr && detail->is_string() ? json::value_to<std::string>(*detail)
                                                 : "the node could not say");
}

reply shown(std::int64_t system, json::array items) {
    for (auto& item : items) {
        auto& task = item.as_object();
        const auto job = parse_job_id(json::value_to<std::string>(task.at("job")));
        if (job) task["href"] = address_of(*job) + "/tasks/" + std::to_string(system);
    }
    return reply{json::object{{"system", system}, {"items", std::move(items)}}};
}

}  // namespace

result<void> running_tasks_api::declare(registry& to) {
    using namespace api;
    CHECK_OK(to.add(
        {.name = "running.list",
         .summary = "What a system's agent runs at this moment, by its own word",
         .path = "/api/v1/systems/{system}/running",
         .takes = {in_path("system", name())},
         .gives = running_shape(),
         .needed = access::right::jobs_read,
         .within = scope::system,
         .spans = span::by_system},
        done_by(this, &running_tasks_api::list)));
    return to.add(
        {.name = "running.signal",
         .summary = "Sends a signal to what a job runs on a system",
         .method = verb::post,
         .path = "/api/v1/systems/{system}/tasks/{job}/signal",
         .takes =
             {in_path("system", name()),
              in_path("job", name()),
              optional_in_body(
                  "signal",
                  text().with_choices({"term", "kill", "cancel"}).with_about("term if not given"))},
         .gives = running_shape(),
         .needed = access::right::jobs_run,
         .within = scope::system,
         .spans = span::by_system},
        done_by(this, &running_tasks_api::signal));
}

async<reply> running_tasks_api::list(call call) {
    CO_TRY(const auto system, deps_.targets.one(call.text("system")));
    CO_TRY(const auto response, co_await deps_.nodes.ask(system, "GET", "/running"));
    CO_TRY(auto items, items_of(response));
    co_return shown(system.value(), std::move(items));
}

async<std::string> running_tasks_api::where(system_number system, job_id job) const {
    CO_TRY(const auto response, co_await deps_.nodes.ask(system, "GET", "/running"));
    CO_TRY(const auto items, items_of(response));
    for (const auto& item : items) {
        const auto* const task = item.if_object();
        const auto* const id = task == nullptr ? nullptr : task->if_contains("job");
        const auto* const at = task == nullptr ? nullptr : task->if_contains("where");
        const bool meant = id != nullptr && id->is_string() && at != nullptr && at->is_string()
                           && json::value_to<std::string>(*id) == to_string(job);
        if (meant) co_return json::value_to<std::string>(*at);
    }
    co_return std::string();
}

async<json::array> running_tasks_api::tell_node(
    system_number system, job_id job, std::string name) const {
    auto path = "/tasks/" + to_string(job) + "/signal?kind=" + name;
    CO_TRY(const auto response, co_await deps_.nodes.ask(system, "POST", std::move(path)));
    CO_TRY(auto items, items_of(response));
    if (items.empty())
        co_return fail(errc::not_found, "job " + to_string(job) + " does not run there now");
    co_return items;
}

async<reply> running_tasks_api::signal(call call) {
    const auto which = call.optional_text("signal").value_or("term");
    const auto job = parse_job_id(call.text("job"));
    if (!job) co_return fail(errc::not_found, "there is no job " + call.text("job"));
    CO_TRY(const auto system, deps_.targets.one(call.text("system")));
    call.set_subject(
        which + " to job " + to_string(*job) + " on system " + std::to_string(system.value()));
    CO_TRY(auto done, co_await tell_node(system, *job, which));
    co_return shown(system.value(), std::move(done));
}

}  // namespace muster::api

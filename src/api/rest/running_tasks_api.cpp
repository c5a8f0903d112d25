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
             "items", list_of(anything().with_about("task: job, function, since, where, href")))});
}

// The items of a node's response, or its error.
result<json::array> read_items(const http::client_response& response) {
    json::error_code failure;
    auto parsed = json::parse(response.body, failure);
    auto* const members = failure ? nullptr : parsed.if_object();
    if (members == nullptr) return fail(errc::unavailable, "invalid response from the node");
    if (auto* const items = members->if_contains("items");
        response.status == 200 && items != nullptr && items->is_array())
        return std::move(items->as_array());
    const auto* const detail = members->if_contains("detail");
    return fail(
        errc::unavailable,
        detail != nullptr && detail->is_string() ? json::value_to<std::string>(*detail)
                                                 : "node returned an error without details");
}

reply tasks_reply(std::int64_t system, json::array items) {
    for (auto& item : items) {
        auto& task = item.as_object();
        const auto job = parse_job_id(json::value_to<std::string>(task.at("job")));
        if (job) task["href"] = address_of(*job) + "/tasks/" + std::to_string(system);
    }
    return reply{json::object{{"system", system}, {"items", std::move(items)}}};
}

}  // namespace

result<void> running_tasks_api::declare(registry& operations) {
    using namespace api;
    CHECK_OK(operations.add(
        {.name = "running.list",
         .summary = "List running tasks as reported by the agent of a system",
         .path = "/api/v1/systems/{system}/running",
         .takes = {in_path("system", name())},
         .gives = running_shape(),
         .needed = access::right::jobs_read,
         .within = scope::system,
         .spans = span::by_system},
        handler(this, &running_tasks_api::list)));
    return operations.add(
        {.name = "running.signal",
         .summary = "Send a signal to a running task",
         .method = verb::post,
         .path = "/api/v1/systems/{system}/tasks/{job}/signal",
         .takes =
             {in_path("system", name()),
              in_path("job", name()),
              optional_in_body(
                  "signal",
                  text()
                      .with_choices({"term", "kill", "cancel"})
                      .with_about("signal to send (default term)"))},
         .gives = running_shape(),
         .needed = access::right::jobs_run,
         .within = scope::system,
         .spans = span::by_system},
        handler(this, &running_tasks_api::signal));
}

async<reply> running_tasks_api::list(call call) {
    CO_TRY(const auto system, deps_.targets.one(call.text("system")));
    CO_TRY(const auto response, co_await deps_.nodes.request(system, "GET", "/running"));
    CO_TRY(auto items, read_items(response));
    co_return tasks_reply(system.value(), std::move(items));
}

async<std::string> running_tasks_api::describe_progress(system_number system, job_id job) const {
    CO_TRY(const auto response, co_await deps_.nodes.request(system, "GET", "/running"));
    CO_TRY(const auto items, read_items(response));
    for (const auto& item : items) {
        const auto* const task = item.if_object();
        const auto* const id = task == nullptr ? nullptr : task->if_contains("job");
        const auto* const step = task == nullptr ? nullptr : task->if_contains("where");
        const bool is_match = id != nullptr && id->is_string() && step != nullptr
                              && step->is_string()
                              && json::value_to<std::string>(*id) == to_string(job);
        if (is_match) co_return json::value_to<std::string>(*step);
    }
    co_return std::string();
}

async<json::array> running_tasks_api::send_signal(
    system_number system, job_id job, std::string name) const {
    auto path = "/tasks/" + to_string(job) + "/signal?kind=" + name;
    CO_TRY(const auto response, co_await deps_.nodes.request(system, "POST", std::move(path)));
    CO_TRY(auto items, read_items(response));
    if (items.empty())
        co_return fail(
            errc::not_found, "job \"" + to_string(job) + "\" is not running on the system");
    co_return items;
}

async<reply> running_tasks_api::signal(call call) {
    const auto signal_name = call.optional_text("signal").value_or("term");
    const auto job = parse_job_id(call.text("job"));
    if (!job) co_return fail(errc::not_found, "job \"" + call.text("job") + "\" not found");
    CO_TRY(const auto system, deps_.targets.one(call.text("system")));
    call.set_subject(
        signal_name + " to job " + to_string(*job) + " on system "
        + std::to_string(system.value()));
    CO_TRY(auto items, co_await send_signal(system, *job, signal_name));
    co_return tasks_reply(system.value(), std::move(items));
}

}  // namespace muster::api

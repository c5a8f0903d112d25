#include "api/xmlrpc/methods/event_methods.h"

#include "api/xmlrpc/methods/action_format.h"
#include "api/xmlrpc/methods/script_results.h"
#include "ports/deadline.h"
#include "services/fleet/yield_to_loop.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::size_t tasks_page_max = 200;
constexpr std::int64_t events_max = 100'000;  // of one call, and to pass over
constexpr std::size_t output_shown_max = std::size_t{64} * 1024;

struct events_listing {
    const action_service& actions;
    std::int64_t system;
    std::int64_t skip = 0;
    std::int64_t remaining = std::numeric_limits<std::int64_t>::max();
    wall_time earliest = {};
    std::string after = {};
    bool finished = false;
};

wall_time event_time(const task_record& task) {
    return task.ended.value_or(task.picked_up.value_or(created_at(task.job)));
}

shape event_shape() {
    return record_of(
        {required("id", action_id()),
         required("history_type", text()),
         required("status", text()),
         required("summary", text()),
         required("completed", api::time()),
         required("details", text())});
}

shape event_details_shape() {
    return record_of(
        {required("id", action_id()),
         required("history_type", text()),
         required("status", text()),
         required("summary", text()),
         required("created", api::time()),
         optional("picked_up", api::time()),
         optional("completed", api::time()),
         required("earliest_action", api::time()),
         required("result_msg", text()),
         optional("result_code", anything()),
         required("additional_info", list_of(anything()))});
}

std::string summary_of(const job_record& job) {
    return fmt::format("{} scheduled by {}", action_name(job), job.spec.actor);
}

// Cuts the text between two characters.
std::string truncate(std::string text) {
    if (text.size() <= output_shown_max) return text;
    auto end = output_shown_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    return text;
}

value to_value(const action& action, const task_record& task) {
    const auto& job = action.job.record;
    const auto state = state_of(&task, job.stage);
    return value::record{
        {"id", action.id.number},
        {"history_type", action_type(job.spec.function)},
        {"status", std::string(status_text(state))},
        {"summary", summary_of(job)},
        {"completed", event_time(task)},
        {"details", outcome_text(state, &task)}};
}

// The actions of the tasks whose jobs still exist; removes the other tasks.
async<std::vector<action>> actions_of(
    const action_service& actions, std::shared_ptr<std::vector<jobs::stored_task>> tasks) {
    std::vector<jobs::stored_job> stored_jobs;
    std::vector<jobs::stored_task> stored_tasks;
    for (auto& task : *tasks) {
        auto job = co_await actions.deps().reader.find(task.record.job);
        if (!job && job.error().code() == errc::not_found) continue;
        CO_CHECK_OK(job);
        stored_jobs.push_back(*std::move(job));
        stored_tasks.push_back(std::move(task));
    }
    *tasks = std::move(stored_tasks);
    co_return co_await actions.number_all(std::move(stored_jobs));
}

async<value::list> next_events(std::shared_ptr<events_listing> listing) {
    const auto& deps = listing->actions.deps();
    value::list list;
    for (; list.empty() && !listing->finished; co_await fleet::yield_to_loop()) {
        auto lookup =
            deps.reader.job_store().read_history(listing->system, listing->after, tasks_page_max);
        CO_TRY(auto page, co_await within(deps.clock, engine_timeout, std::move(lookup)));
        listing->after = page.next;
        listing->finished = page.next.empty();
        auto tasks = std::make_shared<std::vector<jobs::stored_task>>();
        for (auto& task : page.tasks) {
            if (event_time(task.record) < listing->earliest) continue;
            if (listing->skip > 0) {
                --listing->skip;
                continue;
            }
            if (listing->remaining-- <= 0) break;
            tasks->push_back(std::move(task));
        }
        if (listing->remaining <= 0) listing->finished = true;
        CO_TRY(const auto actions, co_await actions_of(listing->actions, tasks));
        for (std::size_t index = 0; index < actions.size(); ++index)
            list.push_back(to_value(actions[index], (*tasks)[index].record));
    }
    co_return list;
}

}  // namespace

result<void> event_methods::declare(method_registry& registry) {
    operation history{
        .name = "system.getEventHistory",
        .summary = "List the history of a system, newest first",
        .takes = {argument("sid", system_id())},
        .gives = list_of(event_shape()),
        .needed = right::jobs_read,
        .within = scope::filtered};
    const auto since = argument("earliestDate", api::time());
    const auto offset = argument("offset", integer(0, events_max));
    const auto limit = argument("limit", integer(1, events_max));
    const auto system = history.takes.front();
    const std::vector<std::vector<parameter>> forms{
        {system}, {system, since}, {system, offset, limit}, {system, since, offset, limit}};
    for (const auto& form : forms) {
        auto overload = history;
        overload.takes = form;
        CHECK_OK(registry.add({std::move(overload), handler(this, &event_methods::history)}));
    }
    operation details = history;
    details.name = "system.getEventDetails";
    details.summary = "Get the details and output of an action on a system";
    details.takes = {system, argument("eid", action_id())};
    details.gives = event_details_shape();
    return registry.add(
        {std::move(details),
         handler(this, &event_methods::details),
         {.not_found = action_not_found}});
}

async<method_response> event_methods::history(call call) {
    const auto& arguments = call.arguments();
    CO_TRY(const auto match, fleet_.find(call, call.integer("sid")));
    auto listing = std::make_shared<events_listing>(
        events_listing{.actions = actions_, .system = match.number.value()});
    if (const auto* const since = arguments.find("earliestDate"))
        listing->earliest = *since->get<wall_time>();
    if (const auto* const offset = arguments.find("offset"))
        listing->skip = *offset->get<std::int64_t>();
    if (const auto* const limit = arguments.find("limit"))
        listing->remaining = *limit->get<std::int64_t>();
    co_return method_response{.content = {}, .items = [listing] {
                                  return next_events(listing);
                              }};
}

async<method_response> event_methods::details(call call) {
    CO_TRY(const auto system, fleet_.find(call, call.integer("sid")));
    CO_TRY(const auto match, co_await actions_.find(call, call.integer("eid")));
    const auto& job = match.job.record;
    const auto& deps = actions_.deps();
    auto lookup = deps.reader.job_store().find_targets(job.job);
    CO_TRY(const auto audience, co_await within(deps.clock, engine_timeout, std::move(lookup)));
    if (!audience.systems.contains(system.number))
        co_return fail(
            errc::not_found,
            fmt::format("action {} does not include system {}", match.id.number, system.name));
    auto work = deps.reader.job_store().find_task(job.job, system.number.value());
    CO_TRY(const auto task, co_await within(deps.clock, engine_timeout, std::move(work)));
    const auto* const row = task ? &task->record : nullptr;
    const auto state = state_of(row, job.stage);
    value::record record{
        {"id", match.id.number},
        {"history_type", action_type(job.spec.function)},
        {"status", std::string(status_text(state))},
        {"summary", summary_of(job)},
        {"created", created_at(job.job)},
        {"earliest_action", earliest_start(job)},
        {"result_msg", outcome_text(state, row)}};
    value::list results;
    if (row != nullptr && row->picked_up) record.push_back({"picked_up", *row->picked_up});
    if (row != nullptr && row->ended) {
        record.push_back({"completed", *row->ended});
        auto payload = row->inline_payload;
        if (payload.empty() && !row->digest.empty()) {
            CO_TRY(const auto stored, co_await deps.reader.payload(job.job, row->digest));
            payload = stored.value_or("");
        }
        auto output = read_output(payload, *row, match.step());
        record.push_back({"result_code", output.exit_code});
        results.push_back(value::record{
            {"detail", truncate(std::move(output.text))},
            {"result", std::to_string(output.exit_code)}});
    }
    record.push_back({"additional_info", std::move(results)});
    co_return method_response{std::move(record)};
}

}  // namespace muster::xmlrpc_api

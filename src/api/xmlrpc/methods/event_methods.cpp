#include "api/xmlrpc/methods/event_methods.h"

#include "api/xmlrpc/methods/action_format.h"
#include "api/xmlrpc/methods/script_results.h"
#include "ports/deadline.h"
#include "services/fleet/let_others_run.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::size_t tasks_at_once = 200;
constexpr std::int64_t events_max = 100'000;  // of one call, and to pass over
constexpr std::size_t output_shown_max = std::size_t{64} * 1024;

struct events_listing {
    const action_service& desk;
    std::int64_t system;
    std::int64_t to_skip = 0;
    std::int64_t to_tell = std::numeric_limits<std::int64_t>::max();
    wall_time earliest = {};
    std::string after = {};
    bool over = false;
};

wall_time moment_of(const task_record& task) {
    return task.ended.value_or(task.picked_up.value_or(made_at(task.job)));
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
    return fmt::format("{} scheduled by {}", action_name(job), job.spec.by);
}

// Cut between two characters.
std::string shortened(std::string text) {
    if (text.size() <= output_shown_max) return text;
    auto end = output_shown_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    return text;
}

value told(const action& action, const task_record& task) {
    const auto& job = action.job.record;
    const auto state = state_of(&task, job.stage);
    return value::record{
        {"id", action.known.number},
        {"history_type", action_type(job.spec.function)},
        {"status", std::string(status_word(state))},
        {"summary", summary_of(job)},
        {"completed", moment_of(task)},
        {"details", outcome_of(state, &task)}};
}

// The jobs of some tasks that are still on record, with their numbers; the tasks of others go.
async<std::vector<action>> actions_of(
    const action_service& actions, std::shared_ptr<std::vector<jobs::stored_task>> tasks) {
    std::vector<jobs::stored_job> stored_jobs;
    std::vector<jobs::stored_task> stored_tasks;
    for (auto& task : *tasks) {
        auto job = co_await actions.around().reader.find(task.record.job);
        if (!job && job.error().code() == errc::not_found) continue;
        CO_CHECK_OK(job);
        stored_jobs.push_back(*std::move(job));
        stored_tasks.push_back(std::move(task));
    }
    *tasks = std::move(stored_tasks);
    co_return co_await actions.number_all(std::move(stored_jobs));
}

async<value::list> next_events(std::shared_ptr<events_listing> of) {
    const auto& deps = of->desk.around();
    value::list list;
    for (; list.empty() && !of->over; co_await fleet::let_others_run()) {
        auto reading = deps.reader.records().read_history(of->system, of->after, tasks_at_once);
        CO_TRY(auto page, co_await within(deps.clock, engine_timeout, std::move(reading)));
        of->after = page.next;
        of->over = page.next.empty();
        auto tasks = std::make_shared<std::vector<jobs::stored_task>>();
        for (auto& task : page.tasks) {
            if (moment_of(task.record) < of->earliest) continue;
            if (of->to_skip > 0) {
                --of->to_skip;
                continue;
            }
            if (of->to_tell-- <= 0) break;
            tasks->push_back(std::move(task));
        }
        if (of->to_tell <= 0) of->over = true;
        CO_TRY(const auto actions, co_await actions_of(of->desk, tasks));
        for (std::size_t n = 0; n < actions.size(); ++n)
            list.push_back(told(actions[n], (*tasks)[n].record));
    }
    co_return list;
}

}  // namespace

result<void> event_methods::declare(method_registry& to) {
    operation history{
        .name = "system.getEventHistory",
        .summary = "What actions did on a system, the newest first",
        .takes = {argument("sid", system_id())},
        .gives = list_of(event_shape()),
        .needed = right::jobs_read,
        .within = scope::filtered};
    const auto since = argument("earliestDate", api::time());
    const auto offset = argument("offset", integer(0, events_max));
    const auto limit = argument("limit", integer(1, events_max));
    const auto sid = history.takes.front();
    const std::vector<std::vector<parameter>> forms{
        {sid}, {sid, since}, {sid, offset, limit}, {sid, since, offset, limit}};
    for (const auto& form : forms) {
        auto one = history;
        one.takes = form;
        CHECK_OK(to.add({std::move(one), done_by(this, &event_methods::history)}));
    }
    operation details = history;
    details.name = "system.getEventDetails";
    details.summary = "What an action did on a system, with what it gave back";
    details.takes = {sid, argument("eid", action_id())};
    details.gives = event_details_shape();
    return to.add(
        {std::move(details),
         done_by(this, &event_methods::details),
         {.not_found = no_such_action}});
}

async<answer> event_methods::history(call call) {
    const auto& input = call.arguments();
    CO_TRY(const auto match, view_.find(call, call.integer("sid")));
    auto listing = std::make_shared<events_listing>(
        events_listing{.desk = actions_, .system = match.number.value()});
    if (const auto* const since = input.find("earliestDate"))
        listing->earliest = *since->get<wall_time>();
    if (const auto* const offset = input.find("offset"))
        listing->to_skip = *offset->get<std::int64_t>();
    if (const auto* const limit = input.find("limit"))
        listing->to_tell = *limit->get<std::int64_t>();
    co_return answer{.content = {}, .items = [listing] {
                         return next_events(listing);
                     }};
}

async<answer> event_methods::details(call call) {
    CO_TRY(const auto system, view_.find(call, call.integer("sid")));
    CO_TRY(const auto match, co_await actions_.find(call, call.integer("eid")));
    const auto& job = match.job.record;
    const auto& deps = actions_.around();
    auto looking = deps.reader.records().audience(job.job);
    CO_TRY(const auto who, co_await within(deps.clock, engine_timeout, std::move(looking)));
    if (!who.targets.contains(system.number))
        co_return fail(
            errc::not_found,
            fmt::format("Action {} is not for {}", match.known.number, system.name));
    auto reading = deps.reader.records().find_task(job.job, system.number.value());
    CO_TRY(const auto task, co_await within(deps.clock, engine_timeout, std::move(reading)));
    const auto* const row = task ? &task->record : nullptr;
    const auto state = state_of(row, job.stage);
    value::record record{
        {"id", match.known.number},
        {"history_type", action_type(job.spec.function)},
        {"status", std::string(status_word(state))},
        {"summary", summary_of(job)},
        {"created", made_at(job.job)},
        {"earliest_action", earliest_start(job)},
        {"result_msg", outcome_of(state, row)}};
    value::list more;
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
        more.push_back(value::record{
            {"detail", shortened(std::move(output.text))},
            {"result", std::to_string(output.exit_code)}});
    }
    record.push_back({"additional_info", std::move(more)});
    co_return answer{std::move(record)};
}

}  // namespace muster::xmlrpc_api

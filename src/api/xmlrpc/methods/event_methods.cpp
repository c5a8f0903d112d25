#include "api/xmlrpc/methods/event_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/action_words.h"
#include "api/xmlrpc/methods/script_results.h"
#include "services/fleet/let_others_run.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_patience;

constexpr std::size_t tasks_at_once = 200;
constexpr std::int64_t events_max = 100'000;  // of one call, and to pass over
constexpr std::size_t output_shown_max = std::size_t{64} * 1024;

struct events_listing {
    const action_desk& desk;
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

value told(const action& what, const task_record& task) {
    const auto& job = what.job.record;
    const auto state = state_of(&task, job.stage);
    return value::record{
        {"id", what.known.number},
        {"history_type", action_type(job.spec.function)},
        {"status", std::string(status_word(state))},
        {"summary", summary_of(job)},
        {"completed", moment_of(task)},
        {"details", outcome_of(state, &task)}};
}

// The jobs of some tasks that are still on record, with their numbers; the tasks of others go.
async<std::vector<action>> actions_of(
    const action_desk& desk, std::shared_ptr<std::vector<jobs::stored_task>> tasks) {
    std::vector<jobs::stored_job> found;
    std::vector<jobs::stored_task> kept;
    for (auto& each : *tasks) {
        auto job = co_await desk.around().reads.find(each.record.job);
        if (!job && job.error().code() == errc::not_found) continue;
        CO_CHECK_OK(job);
        found.push_back(*std::move(job));
        kept.push_back(std::move(each));
    }
    *tasks = std::move(kept);
    co_return co_await desk.number_all(std::move(found));
}

async<value::list> next_events(std::shared_ptr<events_listing> of) {
    const auto& around = of->desk.around();
    value::list made;
    for (; made.empty() && !of->over; co_await fleet::let_others_run()) {
        auto reading = around.reads.records().read_history(of->system, of->after, tasks_at_once);
        CO_TRY(auto page, co_await within(around.time, engine_patience, std::move(reading)));
        of->after = page.next;
        of->over = page.next.empty();
        auto tasks = std::make_shared<std::vector<jobs::stored_task>>();
        for (auto& each : page.tasks) {
            if (moment_of(each.record) < of->earliest) continue;
            if (of->to_skip > 0) {
                --of->to_skip;
                continue;
            }
            if (of->to_tell-- <= 0) break;
            tasks->push_back(std::move(each));
        }
        if (of->to_tell <= 0) of->over = true;
        CO_TRY(const auto actions, co_await actions_of(of->desk, tasks));
        for (std::size_t n = 0; n < actions.size(); ++n)
            made.push_back(told(actions[n], (*tasks)[n].record));
    }
    co_return made;
}

}  // namespace

result<void> event_methods::declare(method_book& to) {
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
    for (const auto& each : forms) {
        auto one = history;
        one.takes = each;
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

async<answer> event_methods::history(call asked) {
    const auto& given = asked.arguments();
    CO_TRY(const auto found, view_.find(asked, asked.integer("sid")));
    auto listing = std::make_shared<events_listing>(
        events_listing{.desk = actions_, .system = found.number.value()});
    if (const auto* const since = given.find("earliestDate"))
        listing->earliest = *since->get<wall_time>();
    if (const auto* const offset = given.find("offset"))
        listing->to_skip = *offset->get<std::int64_t>();
    if (const auto* const limit = given.find("limit"))
        listing->to_tell = *limit->get<std::int64_t>();
    co_return answer{.content = {}, .items = [listing] {
                         return next_events(listing);
                     }};
}

async<answer> event_methods::details(call asked) {
    CO_TRY(const auto system, view_.find(asked, asked.integer("sid")));
    CO_TRY(const auto found, co_await actions_.find(asked, asked.integer("eid")));
    const auto& job = found.job.record;
    const auto& around = actions_.around();
    auto looking = around.reads.records().audience(job.job);
    CO_TRY(const auto who, co_await within(around.time, engine_patience, std::move(looking)));
    if (!who.targets.contains(system.number))
        co_return fail(
            errc::not_found,
            fmt::format("Action {} is not for {}", found.known.number, system.name));
    auto reading = around.reads.records().find_task(job.job, system.number.value());
    CO_TRY(const auto task, co_await within(around.time, engine_patience, std::move(reading)));
    const auto* const row = task ? &task->record : nullptr;
    const auto state = state_of(row, job.stage);
    value::record shown{
        {"id", found.known.number},
        {"history_type", action_type(job.spec.function)},
        {"status", std::string(status_word(state))},
        {"summary", summary_of(job)},
        {"created", made_at(job.job)},
        {"earliest_action", earliest_start(job)},
        {"result_msg", outcome_of(state, row)}};
    value::list more;
    if (row != nullptr && row->picked_up) shown.push_back({"picked_up", *row->picked_up});
    if (row != nullptr && row->ended) {
        shown.push_back({"completed", *row->ended});
        auto payload = row->inline_payload;
        if (payload.empty() && !row->digest.empty()) {
            CO_TRY(const auto kept, co_await around.reads.payload(job.job, row->digest));
            payload = kept.value_or("");
        }
        auto output = read_output(payload, *row, found.step());
        shown.push_back({"result_code", output.exit_code});
        more.push_back(value::record{
            {"detail", shortened(std::move(output.text))},
            {"result", std::to_string(output.exit_code)}});
    }
    shown.push_back({"additional_info", std::move(more)});
    co_return answer{std::move(shown)};
}

}  // namespace muster::xmlrpc_api

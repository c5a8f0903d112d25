#include "api/xmlrpc/methods/action_list.h"

#include "ports/deadline.h"
#include "services/fleet/let_others_run.h"

#include <map>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using api::engine_timeout;

constexpr std::size_t jobs_at_once = 200;
constexpr std::size_t systems_at_once = 500;

// A list of actions in the making.
struct actions_listing {
    const action_service& desk;
    call asked;
    action_choice which;
    std::string after = {};
    bool over = false;
};

bool is_wanted(action_choice which, std::int64_t mark, const action_counts& counts) {
    if (mark >= action::deleted) return false;
    const bool archived = mark >= action::archived;
    switch (which) {
        case action_choice::all:
            return true;
        case action_choice::archived:
            return archived;
        case action_choice::completed:
            return !archived && counts.completed > 0;
        case action_choice::failed:
            return !archived && counts.failed > 0;
        case action_choice::in_progress:
            return !archived && counts.in_progress > 0;
    }
    return false;
}

std::int64_t counted(std::uint64_t count) {
    return static_cast<std::int64_t>(count);
}

value told(const action& action, const action_counts& counts) {
    const auto& job = action.job.record;
    return value::record{
        {"id", action.known.number},
        {"name", action_name(job)},
        {"type", action_type(job.spec.function)},
        {"scheduler", job.spec.by},
        {"earliest", earliest_start(job)},
        {"completedSystems", counted(counts.completed)},
        {"failedSystems", counted(counts.failed)},
        {"inProgressSystems", counted(counts.in_progress)}};
}

async<bool> is_visible(std::shared_ptr<actions_listing> of, job_id job) {
    if (!of->asked.zones()) co_return true;
    const auto& deps = of->desk.around();
    auto reading = deps.reader.records().audience(job);
    const auto who = co_await within(deps.clock, engine_timeout, std::move(reading));
    if (!who && who.error().code() == errc::not_found) co_return false;
    CO_CHECK_OK(who);
    co_return deps.targets.check_visible(of->asked.zones(), job, who->targets).has_value();
}

async<value::list> next_actions(std::shared_ptr<actions_listing> of) {
    const auto& reads = of->desk.around().reader;
    value::list list;
    for (; list.empty() && !of->over; co_await fleet::let_others_run()) {
        auto reading = reads.records().list(of->after, jobs_at_once);
        auto& clock = of->desk.around().clock;
        CO_TRY(auto page, co_await within(clock, engine_timeout, std::move(reading)));
        of->after = page.next;
        of->over = page.next.empty();
        std::vector<jobs::stored_job> stored_jobs;
        for (auto& each : page.jobs) {
            CO_TRY(const bool visible, co_await is_visible(of, each.record.job));
            if (visible) stored_jobs.push_back(std::move(each));
        }
        CO_TRY(const auto actions, co_await of->desk.number_all(std::move(stored_jobs)));
        for (const auto& each : actions) {
            if (each.known.mark >= action::deleted) continue;
            CO_TRY(const auto counts, co_await counts_of(reads, each.job));
            if (is_wanted(of->which, each.known.mark, counts)) list.push_back(told(each, counts));
        }
    }
    co_return list;
}

struct systems_listing {
    const action_service& desk;
    action of;
    fleet::system_set systems;
    system_number next = system_number(1);
    bool over = false;
};

std::string base_channel_of(const content::content_store& channels, system_number system) {
    const auto subscription = channels.subscription_of(system);
    if (!subscription) return {};
    const auto base = channels.find<content::channel>(subscription->base);
    return base ? base->name : std::string();
}

value told(const systems_listing& of, system_number system, const task_record* row) {
    const auto& job = of.of.job.record;
    const auto state = state_of(row, job.stage);
    auto when = earliest_start(job);
    if (row != nullptr) when = row->ended.value_or(row->picked_up.value_or(when));
    const auto& deps = of.desk.around();
    return value::record{
        {"server_id", system.value()},
        {"server_name", deps.targets.name_of(system)},
        {"base_channel", base_channel_of(deps.channels, system)},
        {"timestamp", when},
        {"message", outcome_of(state, row)}};
}

async<value::list> next_systems(std::shared_ptr<systems_listing> of) {
    value::list list;
    if (of->over) co_return list;
    const auto numbers = of->systems.page(of->next, systems_at_once);
    of->over = numbers.size() < systems_at_once;
    if (numbers.empty()) co_return list;
    of->next = numbers.back().next();
    jobs::job_store::task_filter task_filter{.job = of->of.job.record.job, .states = {}};
    for (const auto number : numbers) task_filter.systems.push_back(number.value());
    const auto& deps = of->desk.around();
    auto reading = deps.reader.records().read_tasks(std::move(task_filter), {}, systems_at_once);
    CO_TRY(const auto page, co_await within(deps.clock, engine_timeout, std::move(reading)));
    std::map<std::int64_t, const task_record*> rows;
    for (const auto& task : page.tasks) rows[task.record.system] = &task.record;
    for (const auto number : numbers) {
        const auto it = rows.find(number.value());
        list.push_back(told(*of, number, it == rows.end() ? nullptr : it->second));
    }
    co_return list;
}

}  // namespace

shape action_shape() {
    return record_of(
        {required("id", action_id()),
         required("name", text()),
         required("type", text()),
         required("scheduler", text()),
         required("earliest", api::time()),
         optional("prerequisite", action_id()),
         required("completedSystems", integer(0)),
         required("failedSystems", integer(0)),
         required("inProgressSystems", integer(0))});
}

answer list_actions(const action_service& actions, call call, action_choice action_choice) {
    auto listing = std::make_shared<actions_listing>(
        actions_listing{.desk = actions, .asked = std::move(call), .which = action_choice});
    return {.content = {}, .items = [listing] {
                return next_actions(listing);
            }};
}

shape action_system_shape() {
    return record_of(
        {required("server_id", system_id()),
         required("server_name", text()),
         required("base_channel", text()),
         required("timestamp", api::time()),
         required("message", text())});
}

async<answer> list_systems(
    const action_service& actions, action of, std::vector<task_state> states) {
    CO_TRY(const auto read, co_await actions.around().reader.read(of.job.record.job));
    fleet::system_set meant;
    for (const auto state : states) meant |= read.tasks->sets.members(state, read.job.record.stage);
    if (const auto only = of.only_on()) meant &= fleet::system_set{*only};
    of.job = read.job;
    auto listing = std::make_shared<systems_listing>(
        systems_listing{.desk = actions, .of = std::move(of), .systems = std::move(meant)});
    co_return answer{.content = {}, .items = [listing] {
                         return next_systems(listing);
                     }};
}

}  // namespace muster::xmlrpc_api

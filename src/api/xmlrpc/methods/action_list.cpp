#include "api/xmlrpc/methods/action_list.h"

#include "ports/deadline.h"
#include "services/fleet/yield_to_loop.h"

#include <map>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using api::engine_timeout;

constexpr std::size_t jobs_page_max = 200;
constexpr std::size_t systems_page_max = 500;

// Actions that are being listed.
struct actions_listing {
    const action_service& actions;
    call request;
    action_filter filter;
    std::string after = {};
    bool finished = false;
};

bool matches_filter(action_filter filter, std::int64_t mark, const action_counts& counts) {
    if (mark >= action::deleted) return false;
    const bool archived = mark >= action::archived;
    switch (filter) {
        case action_filter::all:
            return true;
        case action_filter::archived:
            return archived;
        case action_filter::completed:
            return !archived && counts.completed > 0;
        case action_filter::failed:
            return !archived && counts.failed > 0;
        case action_filter::in_progress:
            return !archived && counts.in_progress > 0;
    }
    return false;
}

std::int64_t to_count(std::uint64_t count) {
    return static_cast<std::int64_t>(count);
}

value to_value(const action& action, const action_counts& counts) {
    const auto& job = action.job.record;
    return value::record{
        {"id", action.id.number},
        {"name", action_name(job)},
        {"type", action_type(job.spec.function)},
        {"scheduler", job.spec.actor},
        {"earliest", earliest_start(job)},
        {"completedSystems", to_count(counts.completed)},
        {"failedSystems", to_count(counts.failed)},
        {"inProgressSystems", to_count(counts.in_progress)}};
}

async<bool> is_visible(std::shared_ptr<actions_listing> listing, job_id job) {
    if (!listing->request.zones()) co_return true;
    const auto& deps = listing->actions.deps();
    auto lookup = deps.reader.job_store().find_targets(job);
    const auto audience = co_await within(deps.clock, engine_timeout, std::move(lookup));
    if (!audience && audience.error().code() == errc::not_found) co_return false;
    CO_CHECK_OK(audience);
    co_return deps.targets.check_visible(listing->request.zones(), job, audience->systems)
        .has_value();
}

async<value::list> next_actions(std::shared_ptr<actions_listing> listing) {
    const auto& reader = listing->actions.deps().reader;
    value::list list;
    for (; list.empty() && !listing->finished; co_await fleet::yield_to_loop()) {
        auto lookup = reader.job_store().list(listing->after, jobs_page_max);
        auto& clock = listing->actions.deps().clock;
        CO_TRY(auto page, co_await within(clock, engine_timeout, std::move(lookup)));
        listing->after = page.next;
        listing->finished = page.next.empty();
        std::vector<jobs::stored_job> visible_jobs;
        for (auto& job : page.jobs) {
            CO_TRY(const bool visible, co_await is_visible(listing, job.record.job));
            if (visible) visible_jobs.push_back(std::move(job));
        }
        CO_TRY(const auto actions, co_await listing->actions.number_all(std::move(visible_jobs)));
        for (const auto& action : actions) {
            if (action.id.mark >= action::deleted) continue;
            CO_TRY(const auto counts, co_await read_counts(reader, action.job));
            if (matches_filter(listing->filter, action.id.mark, counts))
                list.push_back(to_value(action, counts));
        }
    }
    co_return list;
}

struct systems_listing {
    const action_service& actions;
    action listed_action;
    fleet::system_set systems;
    system_number next = system_number(1);
    bool finished = false;
};

std::string base_channel_of(const content::content_store& channels, system_number system) {
    const auto subscription = channels.subscription_of(system);
    if (!subscription) return {};
    const auto base = channels.find<content::channel>(subscription->base);
    return base ? base->name : std::string();
}

value to_value(const systems_listing& listing, system_number system, const task_record* row) {
    const auto& job = listing.listed_action.job.record;
    const auto state = state_of(row, job.stage);
    auto time = earliest_start(job);
    if (row != nullptr) time = row->ended.value_or(row->picked_up.value_or(time));
    const auto& deps = listing.actions.deps();
    return value::record{
        {"server_id", system.value()},
        {"server_name", deps.targets.name_of(system)},
        {"base_channel", base_channel_of(deps.channels, system)},
        {"timestamp", time},
        {"message", outcome_text(state, row)}};
}

async<value::list> next_systems(std::shared_ptr<systems_listing> listing) {
    value::list list;
    if (listing->finished) co_return list;
    const auto numbers = listing->systems.page(listing->next, systems_page_max);
    listing->finished = numbers.size() < systems_page_max;
    if (numbers.empty()) co_return list;
    listing->next = numbers.back().next();
    jobs::job_store::task_filter filter{.job = listing->listed_action.job.record.job, .states = {}};
    for (const auto number : numbers) filter.systems.push_back(number.value());
    const auto& deps = listing->actions.deps();
    auto lookup = deps.reader.job_store().read_tasks(std::move(filter), {}, systems_page_max);
    CO_TRY(const auto page, co_await within(deps.clock, engine_timeout, std::move(lookup)));
    std::map<std::int64_t, const task_record*> rows;
    for (const auto& task : page.tasks) rows[task.record.system] = &task.record;
    for (const auto number : numbers) {
        const auto it = rows.find(number.value());
        list.push_back(to_value(*listing, number, it == rows.end() ? nullptr : it->second));
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

method_response list_actions(const action_service& actions, call call, action_filter filter) {
    auto listing = std::make_shared<actions_listing>(
        actions_listing{.actions = actions, .request = std::move(call), .filter = filter});
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

async<method_response> list_systems(
    const action_service& actions, action listed_action, std::vector<task_state> states) {
    CO_TRY(const auto details, co_await actions.deps().reader.read(listed_action.job.record.job));
    fleet::system_set systems;
    for (const auto state : states)
        systems |= details.tasks->sets.members(state, details.job.record.stage);
    if (const auto system = listed_action.only_system()) systems &= fleet::system_set{*system};
    listed_action.job = details.job;
    auto listing = std::make_shared<systems_listing>(systems_listing{
        .actions = actions,
        .listed_action = std::move(listed_action),
        .systems = std::move(systems)});
    co_return method_response{.content = {}, .items = [listing] {
                                  return next_systems(listing);
                              }};
}

}  // namespace muster::xmlrpc_api

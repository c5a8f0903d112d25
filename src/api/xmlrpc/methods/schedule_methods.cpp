#include "api/xmlrpc/methods/schedule_methods.h"

#include "api/xmlrpc/methods/action_list.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using api::engine_timeout;
using api::task_states_timeout;

constexpr std::int64_t actions_max = 1'000;  // of one call

fault_codes codes() {
    return {.not_found = action_not_found};
}

constexpr method_defaults methods{
    .prefix = "schedule.",
    .read_right = right::jobs_read,
    .change_right = right::jobs_run,
    .change_scope = scope::filtered};

parameter actions_parameter() {
    return argument("actionIds", list_of(action_id(), actions_max));
}

std::string describe(const std::vector<action>& actions) {
    std::string result = "actions";
    for (const auto& action : actions) result += fmt::format(" {}", action.id.number);
    return result;
}

}  // namespace

result<void> schedule_methods::declare_lists(method_registry& registry) {
    const auto item_shape = action_shape();
    CHECK_OK(registry.add(
        {methods.read_method(
             "listAllActions", "List all actions, newest first", {}, list_of(item_shape)),
         handler(this, &schedule_methods::list_all)}));
    CHECK_OK(registry.add(
        {methods.read_method(
             "listInProgressActions", "List actions in progress", {}, list_of(item_shape)),
         handler(this, &schedule_methods::list_in_progress)}));
    CHECK_OK(registry.add(
        {methods.read_method("listFailedActions", "List failed actions", {}, list_of(item_shape)),
         handler(this, &schedule_methods::list_failed)}));
    for (const char* const name : {"listCompletedActions", "listAllCompletedActions"}) {
        CHECK_OK(registry.add(
            {methods.read_method(name, "List completed actions", {}, list_of(item_shape)),
             handler(this, &schedule_methods::list_completed)}));
    }
    for (const char* const name : {"listArchivedActions", "listAllArchivedActions"}) {
        CHECK_OK(registry.add(
            {methods.read_method(name, "List archived actions", {}, list_of(item_shape)),
             handler(this, &schedule_methods::list_archived)}));
    }
    return {};
}

result<void> schedule_methods::declare_systems(method_registry& registry) {
    const auto systems_method = [](std::string name, std::string summary) {
        auto result = methods.read_method(
            std::move(name), std::move(summary), {}, list_of(action_system_shape()));
        result.takes = {argument("actionId", action_id())};
        return result;
    };
    CHECK_OK(registry.add(
        {systems_method("listCompletedSystems", "List the systems on which an action completed"),
         handler(this, &schedule_methods::completed_systems),
         codes()}));
    CHECK_OK(registry.add(
        {systems_method("listFailedSystems", "List the systems on which an action failed"),
         handler(this, &schedule_methods::failed_systems),
         codes()}));
    return registry.add(
        {systems_method(
             "listInProgressSystems", "List the systems on which an action is in progress"),
         handler(this, &schedule_methods::in_progress_systems),
         codes()});
}

result<void> schedule_methods::declare(method_registry& registry) {
    CHECK_OK(declare_lists(registry));
    CHECK_OK(declare_systems(registry));
    CHECK_OK(registry.add(
        {methods.change_method(
             "cancelActions", "Cancel the waiting tasks of actions", {actions_parameter()}),
         handler(this, &schedule_methods::cancel),
         codes()}));
    auto reschedule = methods.change_method(
        "rescheduleActions", "Reschedule actions on failed or all systems", {actions_parameter()});
    reschedule.takes.push_back(argument("onlyFailed", flag()));
    CHECK_OK(registry.add(
        {std::move(reschedule), handler(this, &schedule_methods::reschedule), codes()}));
    CHECK_OK(registry.add(
        {methods.change_method("archiveActions", "Archive actions", {actions_parameter()}),
         handler(this, &schedule_methods::archive),
         codes()}));
    return registry.add(
        {methods.change_method("deleteActions", "Delete archived actions", {actions_parameter()}),
         handler(this, &schedule_methods::remove),
         codes()});
}

async<method_response> schedule_methods::list_all(call call) {
    co_return list_actions(actions_, std::move(call), action_filter::all);
}

async<method_response> schedule_methods::list_completed(call call) {
    co_return list_actions(actions_, std::move(call), action_filter::completed);
}

async<method_response> schedule_methods::list_in_progress(call call) {
    co_return list_actions(actions_, std::move(call), action_filter::in_progress);
}

async<method_response> schedule_methods::list_failed(call call) {
    co_return list_actions(actions_, std::move(call), action_filter::failed);
}

async<method_response> schedule_methods::list_archived(call call) {
    co_return list_actions(actions_, std::move(call), action_filter::archived);
}

async<method_response> schedule_methods::list_action_systems(
    call call, std::vector<task_state> states) const {
    const auto number = call.integer("actionId");
    CO_TRY(auto match, co_await actions_.find(std::move(call), number));
    co_return co_await list_systems(actions_, std::move(match), std::move(states));
}

async<method_response> schedule_methods::completed_systems(call call) {
    std::vector<task_state> states{task_state::completed};
    return list_action_systems(std::move(call), std::move(states));
}

async<method_response> schedule_methods::failed_systems(call call) {
    std::vector<task_state> states{task_state::failed, task_state::expired};
    return list_action_systems(std::move(call), std::move(states));
}

async<method_response> schedule_methods::in_progress_systems(call call) {
    std::vector<task_state> states{task_state::queued, task_state::picked_up};
    return list_action_systems(std::move(call), std::move(states));
}

async<std::vector<action>> schedule_methods::find_actions(call call) const {
    std::vector<action> result;
    for (const auto number : read_integers(call, "actionIds")) {
        CO_TRY(auto match, co_await actions_.find(call, number));
        result.push_back(std::move(match));
    }
    call.set_subject(describe(result));
    co_return result;
}

async<method_response> schedule_methods::cancel(call call) {
    CO_TRY(const auto actions, co_await find_actions(call));
    for (const auto& action : actions) {
        if (is_final(action.job.record.stage)) continue;
        json::object body{{"job", to_string(action.job.record.job)}};
        const auto cancelled =
            co_await actions_.deps().operations.perform(call, "jobs.cancel", std::move(body));
        if (cancelled) {
            call.set_partly_done();
            continue;
        }
        // The job ended meanwhile.
        if (cancelled.error().code() != errc::conflict) co_return fail(cancelled.error());
    }
    co_return method_response{1};
}

async<fleet::system_set> schedule_methods::find_rerun_targets(call call, action action) const {
    const auto& deps = actions_.deps();
    CO_TRY(const auto details, co_await deps.reader.read(action.job.record.job));
    auto targets = details.tasks->sets.targets();
    const auto stage = details.job.record.stage;
    if (call.flag("onlyFailed"))
        targets = details.tasks->sets.members(task_state::failed, stage)
                  | details.tasks->sets.members(task_state::expired, stage);
    if (!call.flag("onlyFailed") && !is_final(stage))
        co_return fail(
            errc::invalid, fmt::format("action {} is still in progress", action.id.number));
    if (targets.empty())
        co_return fail(
            errc::invalid, fmt::format("action {} has no failed systems", action.id.number));
    if (deps.targets.reach_of(call.zones(), targets).size() != targets.size())
        co_return fail(
            errc::denied,
            "rescheduling requires the right jobs.run in the zones of all systems of the action");
    std::vector<std::int64_t> numbers;
    targets.for_each([&](system_number system) { numbers.push_back(system.value()); });
    CO_CHECK_OK(actions_.check_unlocked(numbers));
    co_return targets;
}

async<method_response> schedule_methods::reschedule(call call) {
    CO_TRY(const auto actions, co_await find_actions(call));
    std::vector<jobs::job_service::new_job> new_jobs;
    for (const auto& action : actions) {
        CO_TRY(auto targets, co_await find_rerun_targets(call, action));
        auto spec = jobs::retry_spec(action.job.record, {.user = call.caller().user, .note = {}});
        spec.note = action_name(action.job.record);
        const bool harmless = spec.windows == job_spec::window_rule::ignore
                              && jobs::is_read_only(spec.function, spec.arguments);
        if (!respects_windows(spec) && !harmless) spec.windows = job_spec::window_rule::respect;
        new_jobs.push_back({.spec = std::move(spec), .targets = std::move(targets)});
    }
    for (auto& new_job : new_jobs) {
        auto update = job_service_.create(std::move(new_job));
        CO_CHECK_OK(co_await within(actions_.deps().clock, task_states_timeout, std::move(update)));
        call.set_partly_done();
    }
    // Rerun actions are no longer listed as failed.
    CO_CHECK_OK(co_await set_marks(actions, action::archived));
    co_return method_response{1};
}

async<void> schedule_methods::set_marks(std::vector<action> actions, std::int64_t mark) const {
    std::vector<compatibility::numeric_id> marked;
    for (auto& action : actions) {
        action.id.mark = mark;
        marked.push_back(std::move(action.id));
    }
    const auto& deps = actions_.deps();
    auto work =
        deps.numbers.set_marks(std::string(compatibility::numbered::action), std::move(marked));
    co_return co_await within(deps.clock, engine_timeout, std::move(work));
}

async<method_response> schedule_methods::archive(call call) {
    CO_TRY(auto actions, co_await find_actions(call));
    CO_CHECK_OK(co_await set_marks(std::move(actions), action::archived));
    co_return method_response{1};
}

async<method_response> schedule_methods::remove(call call) {
    CO_TRY(auto actions, co_await find_actions(call));
    for (const auto& action : actions)
        if (action.id.mark < action::archived)
            co_return fail(
                errc::invalid,
                fmt::format(
                    "action {} is not archived; archive the action first", action.id.number));
    CO_CHECK_OK(co_await set_marks(std::move(actions), action::deleted));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api

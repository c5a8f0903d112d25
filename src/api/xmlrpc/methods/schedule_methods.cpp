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
using api::board_timeout;
using api::engine_timeout;

constexpr std::int64_t actions_max = 1'000;  // of one call

fault_codes codes() {
    return {.not_found = no_such_action};
}

constexpr method_defaults methods{
    .prefix = "schedule.",
    .reads = right::jobs_read,
    .changes = right::jobs_run,
    .changes_within = scope::filtered};

parameter some_actions() {
    return argument("actionIds", list_of(action_id(), actions_max));
}

std::string spoken(const std::vector<action>& actions) {
    std::string result = "actions";
    for (const auto& each : actions) result += fmt::format(" {}", each.known.number);
    return result;
}

}  // namespace

result<void> schedule_methods::declare_lists(method_registry& to) {
    const auto all = action_shape();
    CHECK_OK(to.add(
        {methods.reading("listAllActions", "All actions, the newest first", {}, list_of(all)),
         done_by(this, &schedule_methods::list_all)}));
    CHECK_OK(to.add(
        {methods.reading(
             "listInProgressActions",
             "Actions that some system has not ended yet",
             {},
             list_of(all)),
         done_by(this, &schedule_methods::list_in_progress)}));
    CHECK_OK(to.add(
        {methods.reading(
             "listFailedActions", "Actions that failed on some system", {}, list_of(all)),
         done_by(this, &schedule_methods::list_failed)}));
    for (const char* const name : {"listCompletedActions", "listAllCompletedActions"}) {
        CHECK_OK(to.add(
            {methods.reading(name, "Actions that completed on some system", {}, list_of(all)),
             done_by(this, &schedule_methods::list_completed)}));
    }
    for (const char* const name : {"listArchivedActions", "listAllArchivedActions"}) {
        CHECK_OK(to.add(
            {methods.reading(name, "Actions that somebody archived", {}, list_of(all)),
             done_by(this, &schedule_methods::list_archived)}));
    }
    return {};
}

result<void> schedule_methods::declare_systems(method_registry& to) {
    const auto of_one = [](std::string name, std::string summary) {
        auto result = methods.reading(
            std::move(name), std::move(summary), {}, list_of(action_system_shape()));
        result.takes = {argument("actionId", action_id())};
        return result;
    };
    CHECK_OK(to.add(
        {of_one("listCompletedSystems", "The systems on which an action completed"),
         done_by(this, &schedule_methods::completed_systems),
         codes()}));
    CHECK_OK(to.add(
        {of_one("listFailedSystems", "The systems on which an action failed"),
         done_by(this, &schedule_methods::failed_systems),
         codes()}));
    return to.add(
        {of_one("listInProgressSystems", "The systems that have not ended an action yet"),
         done_by(this, &schedule_methods::in_progress_systems),
         codes()});
}

result<void> schedule_methods::declare(method_registry& to) {
    CHECK_OK(declare_lists(to));
    CHECK_OK(declare_systems(to));
    CHECK_OK(to.add(
        {methods.changing(
             "cancelActions", "Cancels what has not begun of actions", {some_actions()}),
         done_by(this, &schedule_methods::cancel),
         codes()}));
    auto again = methods.changing(
        "rescheduleActions", "Does actions again, where they failed or anywhere", {some_actions()});
    again.takes.push_back(argument("onlyFailed", flag()));
    CHECK_OK(to.add({std::move(again), done_by(this, &schedule_methods::reschedule), codes()}));
    CHECK_OK(to.add(
        {methods.changing(
             "archiveActions", "Puts actions among the archived ones", {some_actions()}),
         done_by(this, &schedule_methods::archive),
         codes()}));
    return to.add(
        {methods.changing(
             "deleteActions", "Takes archived actions out of all lists", {some_actions()}),
         done_by(this, &schedule_methods::remove),
         codes()});
}

async<answer> schedule_methods::list_all(call call) {
    co_return list_actions(actions_, std::move(call), action_choice::all);
}

async<answer> schedule_methods::list_completed(call call) {
    co_return list_actions(actions_, std::move(call), action_choice::completed);
}

async<answer> schedule_methods::list_in_progress(call call) {
    co_return list_actions(actions_, std::move(call), action_choice::in_progress);
}

async<answer> schedule_methods::list_failed(call call) {
    co_return list_actions(actions_, std::move(call), action_choice::failed);
}

async<answer> schedule_methods::list_archived(call call) {
    co_return list_actions(actions_, std::move(call), action_choice::archived);
}

async<answer> schedule_methods::systems_in(call call, std::vector<task_state> states) const {
    const auto number = call.integer("actionId");
    CO_TRY(auto match, co_await actions_.find(std::move(call), number));
    co_return co_await list_systems(actions_, std::move(match), std::move(states));
}

async<answer> schedule_methods::completed_systems(call call) {
    std::vector<task_state> states{task_state::completed};
    return systems_in(std::move(call), std::move(states));
}

async<answer> schedule_methods::failed_systems(call call) {
    std::vector<task_state> states{task_state::failed, task_state::expired};
    return systems_in(std::move(call), std::move(states));
}

async<answer> schedule_methods::in_progress_systems(call call) {
    std::vector<task_state> states{task_state::queued, task_state::picked_up};
    return systems_in(std::move(call), std::move(states));
}

async<std::vector<action>> schedule_methods::meant_by(call call) const {
    std::vector<action> all;
    for (const auto integer : integers_of(call, "actionIds")) {
        CO_TRY(auto match, co_await actions_.find(call, integer));
        all.push_back(std::move(match));
    }
    call.set_subject(spoken(all));
    co_return all;
}

async<answer> schedule_methods::cancel(call call) {
    CO_TRY(const auto which, co_await meant_by(call));
    for (const auto& each : which) {
        if (is_end(each.job.record.stage)) continue;
        json::object body{{"job", to_string(each.job.record.job)}};
        const auto done =
            co_await actions_.around().natives.ask(call, "jobs.cancel", std::move(body));
        if (done) {
            call.set_partly_done();
            continue;
        }
        // It has just ended by itself.
        if (done.error().code() != errc::conflict) co_return fail(done.error());
    }
    co_return answer{1};
}

async<fleet::system_set> schedule_methods::targets_again(call call, action action) const {
    const auto& deps = actions_.around();
    CO_TRY(const auto read, co_await deps.reader.read(action.job.record.job));
    auto targets = read.tasks->sets.targets();
    const auto stage = read.job.record.stage;
    if (call.flag("onlyFailed"))
        targets = read.tasks->sets.members(task_state::failed, stage)
                  | read.tasks->sets.members(task_state::expired, stage);
    if (!call.flag("onlyFailed") && !is_end(stage))
        co_return fail(
            errc::invalid, fmt::format("Action {} is in progress yet", action.known.number));
    if (targets.empty())
        co_return fail(
            errc::invalid, fmt::format("Action {} failed on no system", action.known.number));
    if (deps.targets.reach_of(call.zones(), targets).size() != targets.size())
        co_return fail(
            errc::denied,
            "doing it again needs the right jobs.run in the zones of all its systems");
    std::vector<std::int64_t> numbers;
    targets.for_each(
        [&](system_number system_number) { numbers.push_back(system_number.value()); });
    CO_CHECK_OK(actions_.check_unlocked(numbers));
    co_return targets;
}

async<answer> schedule_methods::reschedule(call call) {
    CO_TRY(const auto which, co_await meant_by(call));
    std::vector<jobs::job_service::new_job> new_jobs;
    for (const auto& each : which) {
        CO_TRY(auto targets, co_await targets_again(call, each));
        auto spec = jobs::again(each.job.record, {.by = call.who().user, .note = {}});
        spec.note = action_name(each.job.record);
        const bool harmless = spec.windows == job_spec::window_rule::ignore
                              && jobs::read_only(spec.function, spec.arguments);
        if (!heeds_windows(spec) && !harmless) spec.windows = job_spec::window_rule::respect;
        new_jobs.push_back({.spec = std::move(spec), .targets = std::move(targets)});
    }
    for (auto& new_job : new_jobs) {
        auto making = job_service_.make(std::move(new_job));
        CO_CHECK_OK(co_await within(actions_.around().clock, board_timeout, std::move(making)));
        call.set_partly_done();
    }
    // What is done again is no longer among the failed ones.
    CO_CHECK_OK(co_await set_marks(which, action::archived));
    co_return answer{1};
}

async<void> schedule_methods::set_marks(std::vector<action> actions, std::int64_t mark) const {
    std::vector<compatibility::numeric_id> marked;
    for (auto& each : actions) {
        each.known.mark = mark;
        marked.push_back(std::move(each.known));
    }
    const auto& deps = actions_.around();
    auto work =
        deps.numbers.set_marks(std::string(compatibility::numbered::action), std::move(marked));
    co_return co_await within(deps.clock, engine_timeout, std::move(work));
}

async<answer> schedule_methods::archive(call call) {
    CO_TRY(auto which, co_await meant_by(call));
    CO_CHECK_OK(co_await set_marks(std::move(which), action::archived));
    co_return answer{1};
}

async<answer> schedule_methods::remove(call call) {
    CO_TRY(auto which, co_await meant_by(call));
    for (const auto& each : which)
        if (each.known.mark < action::archived)
            co_return fail(
                errc::invalid,
                fmt::format("Action {} is not archived; archive it first", each.known.number));
    CO_CHECK_OK(co_await set_marks(std::move(which), action::deleted));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api

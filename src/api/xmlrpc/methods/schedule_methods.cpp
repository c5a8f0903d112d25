#include "api/xmlrpc/methods/schedule_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/action_list.h"
#include "api/xmlrpc/methods/declaring.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using api::board_patience;
using api::engine_patience;

constexpr std::int64_t actions_max = 1'000;  // of one call

fault_codes codes() {
    return {.not_found = no_such_action};
}

constexpr method_family methods{
    .prefix = "schedule.",
    .reads = right::jobs_read,
    .changes = right::jobs_run,
    .changes_within = scope::filtered};

parameter some_actions() {
    return argument("actionIds", list_of(action_id(), actions_max));
}

std::string spoken(const std::vector<action>& which) {
    std::string made = "actions";
    for (const auto& each : which) made += fmt::format(" {}", each.known.number);
    return made;
}

}  // namespace

result<void> schedule_methods::declare_lists(method_book& to) {
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

result<void> schedule_methods::declare_systems(method_book& to) {
    const auto of_one = [](std::string name, std::string summary) {
        auto made = methods.reading(
            std::move(name), std::move(summary), {}, list_of(action_system_shape()));
        made.takes = {argument("actionId", action_id())};
        return made;
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

result<void> schedule_methods::declare(method_book& to) {
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

async<answer> schedule_methods::list_all(call asked) {
    co_return list_actions(actions_, std::move(asked), action_choice::all);
}

async<answer> schedule_methods::list_completed(call asked) {
    co_return list_actions(actions_, std::move(asked), action_choice::completed);
}

async<answer> schedule_methods::list_in_progress(call asked) {
    co_return list_actions(actions_, std::move(asked), action_choice::in_progress);
}

async<answer> schedule_methods::list_failed(call asked) {
    co_return list_actions(actions_, std::move(asked), action_choice::failed);
}

async<answer> schedule_methods::list_archived(call asked) {
    co_return list_actions(actions_, std::move(asked), action_choice::archived);
}

async<answer> schedule_methods::systems_in(call asked, std::vector<task_state> states) const {
    const auto number = asked.integer("actionId");
    CO_TRY(auto found, co_await actions_.find(std::move(asked), number));
    co_return co_await list_systems(actions_, std::move(found), std::move(states));
}

async<answer> schedule_methods::completed_systems(call asked) {
    std::vector<task_state> states{task_state::completed};
    return systems_in(std::move(asked), std::move(states));
}

async<answer> schedule_methods::failed_systems(call asked) {
    std::vector<task_state> states{task_state::failed, task_state::expired};
    return systems_in(std::move(asked), std::move(states));
}

async<answer> schedule_methods::in_progress_systems(call asked) {
    std::vector<task_state> states{task_state::queued, task_state::picked_up};
    return systems_in(std::move(asked), std::move(states));
}

async<std::vector<action>> schedule_methods::meant_by(call asked) const {
    std::vector<action> all;
    for (const auto each : integers_of(asked, "actionIds")) {
        CO_TRY(auto found, co_await actions_.find(asked, each));
        all.push_back(std::move(found));
    }
    asked.set_subject(spoken(all));
    co_return all;
}

async<answer> schedule_methods::cancel(call asked) {
    CO_TRY(const auto which, co_await meant_by(asked));
    for (const auto& each : which) {
        if (is_end(each.job.record.stage)) continue;
        json::object body{{"job", to_string(each.job.record.job)}};
        const auto done =
            co_await actions_.around().natives.ask(asked, "jobs.cancel", std::move(body));
        if (done) {
            asked.set_partly_done();
            continue;
        }
        // It has just ended by itself.
        if (done.error().code() != errc::conflict) co_return fail(done.error());
    }
    co_return answer{1};
}

async<fleet::system_set> schedule_methods::targets_again(call asked, action which) const {
    const auto& around = actions_.around();
    CO_TRY(const auto read, co_await around.reads.read(which.job.record.job));
    auto targets = read.tasks->sets.targets();
    const auto stage = read.job.record.stage;
    if (asked.flag("onlyFailed"))
        targets = read.tasks->sets.members(task_state::failed, stage)
                  | read.tasks->sets.members(task_state::expired, stage);
    if (!asked.flag("onlyFailed") && !is_end(stage))
        co_return fail(
            errc::invalid, fmt::format("Action {} is in progress yet", which.known.number));
    if (targets.empty())
        co_return fail(
            errc::invalid, fmt::format("Action {} failed on no system", which.known.number));
    if (around.targets.reach_of(asked, targets).size() != targets.size())
        co_return fail(
            errc::denied,
            "doing it again needs the right jobs.run in the zones of all its systems");
    std::vector<std::int64_t> numbers;
    targets.for_each([&](system_number each) { numbers.push_back(each.value()); });
    CO_CHECK_OK(actions_.check_unlocked(numbers));
    co_return targets;
}

async<answer> schedule_methods::reschedule(call asked) {
    CO_TRY(const auto which, co_await meant_by(asked));
    std::vector<jobs::job_desk::wanted_job> wanted;
    for (const auto& each : which) {
        CO_TRY(auto targets, co_await targets_again(asked, each));
        auto spec = jobs::again(each.job.record, {.by = asked.who().user, .note = {}});
        spec.note = action_name(each.job.record);
        const bool harmless = spec.windows == job_spec::window_rule::ignore
                              && jobs::changes_nothing(spec.function, spec.arguments);
        if (!heeds_windows(spec) && !harmless) spec.windows = job_spec::window_rule::respect;
        wanted.push_back({.spec = std::move(spec), .targets = std::move(targets)});
    }
    for (auto& each : wanted) {
        auto making = makes_.make(std::move(each));
        CO_CHECK_OK(co_await within(actions_.around().time, board_patience, std::move(making)));
        asked.set_partly_done();
    }
    // What is done again is no longer among the failed ones.
    CO_CHECK_OK(co_await set_marks(which, action::archived));
    co_return answer{1};
}

async<void> schedule_methods::set_marks(std::vector<action> which, std::int64_t mark) const {
    std::vector<compatibility::numbered_thing> marked;
    for (auto& each : which) {
        each.known.mark = mark;
        marked.push_back(std::move(each.known));
    }
    const auto& around = actions_.around();
    auto work = around.numbers.set_marks(std::string(cluster::numbered::action), std::move(marked));
    co_return co_await within(around.time, engine_patience, std::move(work));
}

async<answer> schedule_methods::archive(call asked) {
    CO_TRY(auto which, co_await meant_by(asked));
    CO_CHECK_OK(co_await set_marks(std::move(which), action::archived));
    co_return answer{1};
}

async<answer> schedule_methods::remove(call asked) {
    CO_TRY(auto which, co_await meant_by(asked));
    for (const auto& each : which)
        if (each.known.mark < action::archived)
            co_return fail(
                errc::invalid,
                fmt::format("Action {} is not archived; archive it first", each.known.number));
    CO_CHECK_OK(co_await set_marks(std::move(which), action::deleted));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api

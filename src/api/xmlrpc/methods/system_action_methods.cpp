#include "api/xmlrpc/methods/system_action_methods.h"

#include "core/model/chain.h"
#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/script_results.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t wrong_kind_of_action = 2701;
constexpr std::int64_t script_seconds_max = 31'536'000;  // a year

fault_codes codes() {
    return {.not_found = no_such_action, .conflict = wrong_kind_of_action};
}

constexpr method_family methods{
    .prefix = "system.",
    .reads = right::jobs_read,
    .changes = right::jobs_run,
    .changes_within = scope::filtered};

operation scheduling(std::string name, std::string summary) {
    return methods.changing(std::move(name), std::move(summary), {}, action_id());
}

operation on_one(std::string name, std::string summary) {
    auto made = scheduling(std::move(name), std::move(summary));
    made.takes = {argument("sid", system_id()), argument("earliestOccurrence", api::time())};
    return made;
}

wall_time earliest_of(const call& asked) {
    return *asked.arguments().find("earliestOccurrence")->get<wall_time>();
}

}  // namespace

result<void> system_action_methods::declare_scripts(method_book& to) {
    const auto many = argument("sids", list_of(system_id(), systems_of_action_max));
    const auto one = argument("sid", system_id());
    for (const auto& whom : {many, one}) {
        for (const bool labelled : {true, false}) {
            auto script = scheduling("scheduleScriptRun", "Runs a script on systems");
            if (labelled) script.takes.push_back(argument("label", text()));
            script.takes.push_back(whom);
            script.takes.push_back(argument("username", text()));
            script.takes.push_back(argument("groupname", text()));
            script.takes.push_back(argument("timeout", integer(0, script_seconds_max)));
            script.takes.push_back(
                argument("script", text(static_cast<std::int64_t>(jobs::arguments_bytes_max))));
            script.takes.push_back(argument("earliestOccurrence", api::time()));
            CHECK_OK(
                to.add({std::move(script), done_by(this, &system_action_methods::run_script)}));
        }
    }
    auto results = asking_by_post(methods.reading(
        "getScriptResults",
        "What a script wrote on the systems where it has ended",
        {argument("actionId", action_id())},
        list_of(script_result_shape())));
    return to.add(
        {std::move(results), done_by(this, &system_action_methods::script_results), codes()});
}

result<void> system_action_methods::declare(method_book& to) {
    CHECK_OK(declare_scripts(to));
    CHECK_OK(to.add(
        {on_one("scheduleReboot", "Reboots a system"),
         done_by(this, &system_action_methods::reboot)}));
    return to.add(
        {on_one("scheduleHardwareRefresh", "Asks a system for its facts"),
         done_by(this, &system_action_methods::refresh_hardware)});
}

// Who names a system that is not there, or not theirs, is told so as of any other method.
result<std::string> system_action_methods::name_of(
    const call& asked, std::string what, std::string_view systems) const {
    std::string only;
    const auto numbers = integers_of(asked, systems);
    for (const auto each : numbers) {
        TRY(const auto found, view_.find(asked, each));
        only = found.name;
    }
    if (numbers.empty()) return fail(errc::invalid, "no system is named");
    if (numbers.size() == 1) return fmt::format("{} on {}", what, only);
    return fmt::format("{} on {} systems", what, numbers.size());
}

async<answer> system_action_methods::run_script(call asked) {
    const bool many = asked.arguments().find("sids") != nullptr;
    const auto* const systems = many ? "sids" : "sid";
    action_wish wanted{.function = "script.run", .systems = integers_of(asked, systems)};
    CO_TRY(wanted.name, name_of(asked, "Remote Command", systems));
    if (const auto* const label = asked.arguments().find("label")) {
        const auto& given = *label->get<std::string>();
        if (!given.empty()) wanted.name = given;
    }
    // Line ends as a shell takes them: clients on other machines send theirs.
    std::string content = asked.text("script");
    std::erase(content, '\r');
    wanted.arguments = {{"content", content}};
    if (const auto& user = asked.text("username"); !user.empty()) wanted.arguments["user"] = user;
    if (const auto& group = asked.text("groupname"); !group.empty())
        wanted.arguments["group"] = group;
    if (const auto seconds = asked.integer("timeout"); seconds > 0)
        wanted.timeout = std::chrono::seconds(seconds);
    wanted.earliest = earliest_of(asked);
    CO_TRY(const auto number, co_await actions_.make(std::move(asked), std::move(wanted)));
    co_return answer{number};
}

async<answer> system_action_methods::reboot(call asked) {
    action_wish wanted{.function = "system.reboot", .systems = integers_of(asked, "sid")};
    CO_TRY(wanted.name, name_of(asked, "System reboot", "sid"));
    wanted.earliest = earliest_of(asked);
    CO_TRY(const auto number, co_await actions_.make(std::move(asked), std::move(wanted)));
    co_return answer{number};
}

async<answer> system_action_methods::refresh_hardware(call asked) {
    action_wish wanted{.function = "facts.get", .systems = integers_of(asked, "sid")};
    CO_TRY(wanted.name, name_of(asked, "Hardware List Refresh", "sid"));
    wanted.earliest = earliest_of(asked);
    wanted.within = action_wish::windows::do_not_count;
    CO_TRY(const auto number, co_await actions_.make(std::move(asked), std::move(wanted)));
    co_return answer{number};
}

async<answer> system_action_methods::script_results(call asked) {
    const auto number = asked.integer("actionId");
    CO_TRY(auto found, co_await actions_.find(std::move(asked), number));
    const auto& function = found.job.record.spec.function;
    const bool script =
        function == "script.run" || function == "cmd.run" || function == chain_function;
    if (!script)
        co_return fail(
            errc::conflict, fmt::format("Action {} ran {}, no script", number, function));
    co_return co_await list_script_results(actions_, std::move(found));
}

}  // namespace muster::xmlrpc_api

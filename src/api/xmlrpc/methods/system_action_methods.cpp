#include "api/xmlrpc/methods/system_action_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/script_results.h"
#include "core/model/chain.h"
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

constexpr method_defaults methods{
    .prefix = "system.",
    .reads = right::jobs_read,
    .changes = right::jobs_run,
    .changes_within = scope::filtered};

operation scheduling(std::string name, std::string summary) {
    return methods.changing(std::move(name), std::move(summary), {}, action_id());
}

operation on_one(std::string name, std::string summary) {
    auto result = scheduling(std::move(name), std::move(summary));
    result.takes = {argument("sid", system_id()), argument("earliestOccurrence", api::time())};
    return result;
}

wall_time earliest_of(const call& call) {
    return *call.arguments().find("earliestOccurrence")->get<wall_time>();
}

}  // namespace

result<void> system_action_methods::declare_scripts(method_registry& to) {
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

result<void> system_action_methods::declare(method_registry& to) {
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
    const call& call, std::string text, std::string_view systems) const {
    std::string only;
    const auto numbers = integers_of(call, systems);
    for (const auto number : numbers) {
        TRY(const auto match, view_.find(call, number));
        only = match.name;
    }
    if (numbers.empty()) return fail(errc::invalid, "no system is named");
    if (numbers.size() == 1) return fmt::format("{} on {}", text, only);
    return fmt::format("{} on {} systems", text, numbers.size());
}

async<answer> system_action_methods::run_script(call call) {
    const bool many = call.arguments().find("sids") != nullptr;
    const auto* const systems = many ? "sids" : "sid";
    action_request action_request{.function = "script.run", .systems = integers_of(call, systems)};
    CO_TRY(action_request.name, name_of(call, "Remote Command", systems));
    if (const auto* const label = call.arguments().find("label")) {
        const auto& input = *label->get<std::string>();
        if (!input.empty()) action_request.name = input;
    }
    // Line ends as a shell takes them: clients on other machines send theirs.
    std::string content = call.text("script");
    std::erase(content, '\r');
    action_request.arguments = {{"content", content}};
    if (const auto& user = call.text("username"); !user.empty())
        action_request.arguments["user"] = user;
    if (const auto& group = call.text("groupname"); !group.empty())
        action_request.arguments["group"] = group;
    if (const auto seconds = call.integer("timeout"); seconds > 0)
        action_request.timeout = std::chrono::seconds(seconds);
    action_request.earliest = earliest_of(call);
    CO_TRY(const auto number, co_await actions_.make(std::move(call), std::move(action_request)));
    co_return answer{number};
}

async<answer> system_action_methods::reboot(call call) {
    action_request action_request{.function = "system.reboot", .systems = integers_of(call, "sid")};
    CO_TRY(action_request.name, name_of(call, "System reboot", "sid"));
    action_request.earliest = earliest_of(call);
    CO_TRY(const auto number, co_await actions_.make(std::move(call), std::move(action_request)));
    co_return answer{number};
}

async<answer> system_action_methods::refresh_hardware(call call) {
    action_request desired{.function = "facts.get", .systems = integers_of(call, "sid")};
    CO_TRY(desired.name, name_of(call, "Hardware List Refresh", "sid"));
    desired.earliest = earliest_of(call);
    desired.within = action_request::windows::do_not_count;
    CO_TRY(const auto number, co_await actions_.make(std::move(call), std::move(desired)));
    co_return answer{number};
}

async<answer> system_action_methods::script_results(call call) {
    const auto number = call.integer("actionId");
    CO_TRY(auto match, co_await actions_.find(std::move(call), number));
    const auto& function = match.job.record.spec.function;
    const bool script =
        function == "script.run" || function == "cmd.run" || function == chain_function;
    if (!script)
        co_return fail(
            errc::conflict, fmt::format("Action {} ran {}, no script", number, function));
    co_return co_await list_script_results(actions_, std::move(match));
}

}  // namespace muster::xmlrpc_api

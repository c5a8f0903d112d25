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

constexpr std::int64_t wrong_action_fault = 2701;
constexpr std::int64_t script_seconds_max = 31'536'000;  // a year

fault_codes codes() {
    return {.not_found = action_not_found, .conflict = wrong_action_fault};
}

constexpr method_defaults methods{
    .prefix = "system.",
    .read_right = right::jobs_read,
    .change_right = right::jobs_run,
    .change_scope = scope::filtered};

operation action_method(std::string name, std::string summary) {
    return methods.change_method(std::move(name), std::move(summary), {}, action_id());
}

operation system_method(std::string name, std::string summary) {
    auto result = action_method(std::move(name), std::move(summary));
    result.takes = {argument("sid", system_id()), argument("earliestOccurrence", api::time())};
    return result;
}

wall_time read_earliest(const call& call) {
    return *call.arguments().find("earliestOccurrence")->get<wall_time>();
}

}  // namespace

result<void> system_action_methods::declare_scripts(method_registry& registry) {
    const auto systems = argument("sids", list_of(system_id(), systems_of_action_max));
    const auto system = argument("sid", system_id());
    for (const auto& target : {systems, system}) {
        for (const bool labelled : {true, false}) {
            auto script = action_method("scheduleScriptRun", "Run a script on systems");
            if (labelled) script.takes.push_back(argument("label", text()));
            script.takes.push_back(target);
            script.takes.push_back(argument("username", text()));
            script.takes.push_back(argument("groupname", text()));
            script.takes.push_back(argument("timeout", integer(0, script_seconds_max)));
            script.takes.push_back(
                argument("script", text(static_cast<std::int64_t>(jobs::arguments_bytes_max))));
            script.takes.push_back(argument("earliestOccurrence", api::time()));
            CHECK_OK(registry.add(
                {std::move(script), handler(this, &system_action_methods::run_script)}));
        }
    }
    auto results = read_by_post(methods.read_method(
        "getScriptResults",
        "Get the script results of an action",
        {argument("actionId", action_id())},
        list_of(script_result_shape())));
    return registry.add(
        {std::move(results), handler(this, &system_action_methods::script_results), codes()});
}

result<void> system_action_methods::declare(method_registry& registry) {
    CHECK_OK(declare_scripts(registry));
    CHECK_OK(registry.add(
        {system_method("scheduleReboot", "Reboot a system"),
         handler(this, &system_action_methods::reboot)}));
    return registry.add(
        {system_method("scheduleHardwareRefresh", "Refresh the hardware facts of a system"),
         handler(this, &system_action_methods::refresh_hardware)});
}

// Unknown systems, and systems of other zones, fail as in other methods.
result<std::string> system_action_methods::name_of(
    const call& call, std::string description, std::string_view systems) const {
    std::string last_name;
    const auto numbers = read_integers(call, systems);
    for (const auto number : numbers) {
        TRY(const auto match, fleet_.find(call, number));
        last_name = match.name;
    }
    if (numbers.empty()) return fail(errc::invalid, "no system given");
    if (numbers.size() == 1) return fmt::format("{} on {}", description, last_name);
    return fmt::format("{} on {} systems", description, numbers.size());
}

async<method_response> system_action_methods::run_script(call call) {
    const bool has_many = call.arguments().find("sids") != nullptr;
    const auto* const systems = has_many ? "sids" : "sid";
    action_request request{.function = "script.run", .systems = read_integers(call, systems)};
    CO_TRY(request.name, name_of(call, "Remote Command", systems));
    if (const auto* const label = call.arguments().find("label")) {
        const auto& name = *label->get<std::string>();
        if (!name.empty()) request.name = name;
    }
    // Clients may send line ends of other systems; a shell needs plain newlines.
    std::string content = call.text("script");
    std::erase(content, '\r');
    request.arguments = {{"content", content}};
    if (const auto& user = call.text("username"); !user.empty()) request.arguments["user"] = user;
    if (const auto& group = call.text("groupname"); !group.empty())
        request.arguments["group"] = group;
    if (const auto seconds = call.integer("timeout"); seconds > 0)
        request.timeout = std::chrono::seconds(seconds);
    request.earliest = read_earliest(call);
    CO_TRY(const auto number, co_await actions_.create(std::move(call), std::move(request)));
    co_return method_response{number};
}

async<method_response> system_action_methods::reboot(call call) {
    action_request request{.function = "system.reboot", .systems = read_integers(call, "sid")};
    CO_TRY(request.name, name_of(call, "System reboot", "sid"));
    request.earliest = read_earliest(call);
    CO_TRY(const auto number, co_await actions_.create(std::move(call), std::move(request)));
    co_return method_response{number};
}

async<method_response> system_action_methods::refresh_hardware(call call) {
    action_request request{.function = "facts.get", .systems = read_integers(call, "sid")};
    CO_TRY(request.name, name_of(call, "Hardware List Refresh", "sid"));
    request.earliest = read_earliest(call);
    request.windows = action_request::window_mode::ignore;
    CO_TRY(const auto number, co_await actions_.create(std::move(call), std::move(request)));
    co_return method_response{number};
}

async<method_response> system_action_methods::script_results(call call) {
    const auto number = call.integer("actionId");
    CO_TRY(auto match, co_await actions_.find(std::move(call), number));
    const auto& function = match.job.record.spec.function;
    const bool script =
        function == "script.run" || function == "cmd.run" || function == chain_function;
    if (!script)
        co_return fail(
            errc::conflict, fmt::format("action {} ran {}, not a script", number, function));
    co_return co_await list_script_results(actions_, std::move(match));
}

}  // namespace muster::xmlrpc_api

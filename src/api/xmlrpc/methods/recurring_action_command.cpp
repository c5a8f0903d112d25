#include "api/xmlrpc/methods/recurring_action_command.h"

#include "core/model/chain.h"
#include "services/configuration/deployment.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using api::value;
using configuration::deployment;

// States of clients with their functions.
struct state_function {
    std::string_view name;
    std::string_view function;
};
constexpr std::array states{
    state_function{"hardware.profileupdate", "facts.get"},
    state_function{"packages.profileupdate", "packages.refresh"},
    state_function{"reboot", "system.reboot"},
    state_function{"test.ping", "test.ping"}};

bool is_available(const state_function& state) {
    const auto functions = jobs::known_functions();
    return std::ranges::find(functions, state.function) != functions.end();
}

result<std::string> function_of(const value& state) {
    const auto* const name = state.get<std::string>();
    if (name == nullptr) return fail(errc::invalid, "`states` must be a list of strings");
    const auto it = std::ranges::find(states, std::string_view(*name), &state_function::name);
    if (it == states.end() || !is_available(*it))
        return fail(
            errc::invalid,
            fmt::format(
                "state \"{}\" not found; list states with recurring.custom.listAvailable", *name));
    return std::string(it->function);
}

result<bool> read_dry_run(const value& properties) {
    const auto* const test = properties.find("test");
    if (test == nullptr || test->is_nothing()) return false;
    if (!test->holds<bool>()) return fail(errc::invalid, "`test` must be true or false");
    return *test->get<bool>();
}

}  // namespace

result<void> set_states(json::object& body, const value& properties) {
    TRY(const auto dry_run, read_dry_run(properties));
    if (dry_run)
        return fail(
            errc::invalid, "`test` must be false; only highstate actions support test runs");
    const auto* const member = properties.find("states");
    if (member == nullptr) return {};
    const auto* const names = member->get<value::list>();
    if (names == nullptr || names->empty() || names->size() > chain_limits::steps_max)
        return fail(errc::invalid, "`states` must be a list of 1 to 32 strings");
    json::array steps;
    for (const auto& state : *names) {
        TRY(const auto function, function_of(state));
        steps.push_back(json::object{{"function", function}, {"arguments", json::object()}});
    }
    body["function"] =
        steps.size() == 1 ? steps.front().at("function") : json::value(chain_function);
    body["arguments"] =
        steps.size() == 1 ? json::object() : json::object{{"steps", std::move(steps)}};
    return {};
}

result<void> set_highstate(
    json::object& body, const value& properties, const std::string& current_arguments) {
    TRY(const auto dry_run, read_dry_run(properties));
    json::error_code failure;
    const auto parsed = json::parse(current_arguments, failure);
    auto arguments = !failure && parsed.is_object() ? parsed.as_object() : json::object();
    arguments["dry_run"] = dry_run;
    body["function"] = deployment::scheduled_as;
    body["arguments"] = std::move(arguments);
    return {};
}

bool is_highstate(const windows::stored_schedule& schedule) {
    return schedule.function == deployment::scheduled_as;
}

bool is_dry_run(const windows::stored_schedule& schedule) {
    if (!is_highstate(schedule)) return false;
    const auto request = deployment::parse_request(schedule.arguments);
    return request && request->mode == deployment::mode::compare;
}

value::list states_of(const windows::stored_schedule& schedule) {
    value::list list;
    const auto add = [&](std::string_view function) {
        const auto it = std::ranges::find(states, function, &state_function::function);
        list.emplace_back(std::string(it == states.end() ? function : it->name));
    };
    if (schedule.function != chain_function) {
        add(schedule.function);
        return list;
    }
    json::error_code failure;
    const auto parsed = json::parse(schedule.arguments, failure);
    const auto* const arguments = failure || !parsed.is_object() ? nullptr : &parsed.as_object();
    const auto* const steps = arguments == nullptr ? nullptr : arguments->if_contains("steps");
    if (steps == nullptr || !steps->is_array()) return list;
    for (const auto& item : steps->as_array()) {
        const auto* const step = item.if_object();
        const auto* const function = step == nullptr ? nullptr : step->if_contains("function");
        if (function != nullptr && function->is_string())
            add({function->as_string().data(), function->as_string().size()});
    }
    return list;
}

value::list available_states() {
    value::list list;
    for (const auto& state : states)
        if (is_available(state)) list.emplace_back(std::string(state.name));
    return list;
}

}  // namespace muster::xmlrpc_api

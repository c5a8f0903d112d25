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

// What clients call states, and what is run for them.
struct known_state {
    std::string_view name;
    std::string_view function;
};
constexpr std::array states{
    known_state{"hardware.profileupdate", "facts.get"},
    known_state{"packages.profileupdate", "packages.refresh"},
    known_state{"reboot", "system.reboot"},
    known_state{"test.ping", "test.ping"}};

bool is_offered(const known_state& known_state) {
    const auto existing = jobs::known_functions();
    return std::ranges::find(existing, known_state.function) != existing.end();
}

result<std::string> function_of(const value& state) {
    const auto* const name = state.get<std::string>();
    if (name == nullptr) return fail(errc::invalid, "`states` is a list of texts");
    const auto it = std::ranges::find(states, std::string_view(*name), &known_state::name);
    if (it == states.end() || !is_offered(*it))
        return fail(
            errc::invalid,
            fmt::format(
                "There is no state {}; recurring.custom.listAvailable tells which there are",
                *name));
    return std::string(it->function);
}

result<bool> trial_wanted(const value& input) {
    const auto* const test = input.find("test");
    if (test == nullptr || test->is_nothing()) return false;
    if (!test->holds<bool>()) return fail(errc::invalid, "`test` is true or false");
    return *test->get<bool>();
}

}  // namespace

result<void> put_states(json::object& into, const value& input) {
    TRY(const auto trial, trial_wanted(input));
    if (trial)
        return fail(
            errc::invalid,
            "`test` must be false: there are no trial runs of these, only of a highstate");
    const auto* const named = input.find("states");
    if (named == nullptr) return {};
    const auto* const all = named->get<value::list>();
    if (all == nullptr || all->empty() || all->size() > chain_limits::steps_max)
        return fail(errc::invalid, "`states` is a list of 1 to 32 texts");
    json::array steps;
    for (const auto& each : *all) {
        TRY(const auto function, function_of(each));
        steps.push_back(json::object{{"function", function}, {"arguments", json::object()}});
    }
    into["function"] =
        steps.size() == 1 ? steps.front().at("function") : json::value(chain_function);
    into["arguments"] =
        steps.size() == 1 ? json::object() : json::object{{"steps", std::move(steps)}};
    return {};
}

result<void> put_highstate(json::object& into, const value& input, const std::string& before) {
    TRY(const auto trial, trial_wanted(input));
    json::error_code failure;
    const auto read = json::parse(before, failure);
    auto arguments = !failure && read.is_object() ? read.as_object() : json::object();
    arguments["dry_run"] = trial;
    into["function"] = deployment::scheduled_as;
    into["arguments"] = std::move(arguments);
    return {};
}

bool is_highstate(const windows::stored_schedule& of) {
    return of.function == deployment::scheduled_as;
}

bool is_trial(const windows::stored_schedule& of) {
    if (!is_highstate(of)) return false;
    const auto order = deployment::read_order(of.arguments);
    return order && order->how == deployment::mode::compare;
}

value::list states_of(const windows::stored_schedule& of) {
    value::list list;
    const auto add = [&](std::string_view function) {
        const auto it = std::ranges::find(states, function, &known_state::function);
        list.emplace_back(std::string(it == states.end() ? function : it->name));
    };
    if (of.function != chain_function) {
        add(of.function);
        return list;
    }
    json::error_code failure;
    const auto parsed = json::parse(of.arguments, failure);
    const auto* const all = failure || !parsed.is_object() ? nullptr : &parsed.as_object();
    const auto* const steps = all == nullptr ? nullptr : all->if_contains("steps");
    if (steps == nullptr || !steps->is_array()) return list;
    for (const auto& each : steps->as_array()) {
        const auto* const step = each.if_object();
        const auto* const function = step == nullptr ? nullptr : step->if_contains("function");
        if (function != nullptr && function->is_string())
            add({function->as_string().data(), function->as_string().size()});
    }
    return list;
}

value::list offered_states() {
    value::list list;
    for (const auto& state : states)
        if (is_offered(state)) list.emplace_back(std::string(state.name));
    return list;
}

}  // namespace muster::xmlrpc_api

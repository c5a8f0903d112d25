#include "api/xmlrpc/methods/system_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "core/targeting/regex.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

// Default age after which a system is inactive.
constexpr std::int64_t default_days = 1;
constexpr std::int64_t days_max = 36'500;
constexpr std::int64_t systems_max = 10'000;  // of one call
constexpr std::int64_t removal_failed_fault = 1003;
constexpr auto removal_timeout = std::chrono::seconds(25);

constexpr method_defaults methods{.prefix = "system.", .change_scope = scope::filtered};

operation system_method(std::string name, std::string summary, shape gives) {
    return methods.read_method(
        std::move(name), std::move(summary), {system_parameter()}, std::move(gives));
}

operation removal(std::string name, parameter systems) {
    return methods.change_method(
        std::move(name),
        "Disconnect systems from their node; they are orphans until they attach again",
        {std::move(systems)});
}

parameter cleanup() {
    return argument(
        "cleanupType", text().with_choices({"FAIL_ON_CLEANUP_ERR", "NO_CLEANUP", "FORCE_DELETE"}));
}

// Whether a name can be used in an expression unchanged.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name.find_first_of(" \t*?[]()\"'\\:/@,") == std::string_view::npos;
}

}  // namespace

result<void> system_methods::declare_lists(method_registry& registry) {
    const auto list = list_of(overview_shape());
    CHECK_OK(registry.add(
        {methods.read_method("listSystems", "List all systems", {}, list),
         handler(this, &system_methods::list)}));
    CHECK_OK(registry.add(
        {methods.read_method("listUserSystems", "List the systems visible to the caller", {}, list),
         handler(this, &system_methods::list)}));
    auto active =
        methods.read_method("listActiveSystems", "List systems seen within the last day", {}, list);
    active.includes_presence = true;
    CHECK_OK(registry.add({std::move(active), handler(this, &system_methods::list_active)}));
    auto inactive = methods.read_method("listInactiveSystems", "List inactive systems", {}, list);
    inactive.includes_presence = true;
    CHECK_OK(registry.add({inactive, handler(this, &system_methods::list_inactive)}));
    inactive.takes = {argument("days", integer(0, days_max))};
    CHECK_OK(registry.add({std::move(inactive), handler(this, &system_methods::list_inactive)}));
    auto by_name = methods.read_method("getId", "Get systems by name", {}, list);
    by_name.takes = {argument("name", text())};
    CHECK_OK(registry.add({std::move(by_name), handler(this, &system_methods::get_id)}));
    auto matching =
        methods.read_method("searchByName", "Search systems by a regular expression", {}, list);
    matching.method = verb::post;
    matching.read_only = true;
    matching.takes = {
        argument("regexp", text(static_cast<std::int64_t>(targeting::regex::pattern_bytes_max)))};
    return registry.add({std::move(matching), handler(this, &system_methods::search_by_name)});
}

result<void> system_methods::declare_removal(method_registry& registry) {
    const fault_codes codes{.conflict = removal_failed_fault};
    auto remove_system_method = removal("deleteSystem", argument("sid", system_id()));
    CHECK_OK(
        registry.add({remove_system_method, handler(this, &system_methods::remove_system), codes}));
    remove_system_method.takes.push_back(cleanup());
    CHECK_OK(registry.add(
        {std::move(remove_system_method), handler(this, &system_methods::remove_system), codes}));
    auto remove_systems_method =
        removal("deleteSystems", argument("sids", list_of(system_id(), systems_max)));
    CHECK_OK(registry.add(
        {remove_systems_method, handler(this, &system_methods::remove_systems), codes}));
    remove_systems_method.takes.push_back(cleanup());
    return registry.add(
        {std::move(remove_systems_method), handler(this, &system_methods::remove_systems), codes});
}

result<void> system_methods::declare(method_registry& registry) {
    CHECK_OK(declare_lists(registry));
    CHECK_OK(declare_removal(registry));
    CHECK_OK(registry.add(
        {system_method("getName", "Get the name of a system", overview_shape()),
         handler(this, &system_methods::get_name)}));
    CHECK_OK(registry.add(
        {system_method("getDetails", "Get the details of a system", details_shape()),
         handler(this, &system_methods::get_details)}));
    CHECK_OK(registry.add(
        {system_method(
             "listGroups", "List all groups with the membership of a system", list_of(anything())),
         handler(this, &system_methods::list_groups)}));
    return registry.add(
        {methods.read_method(
             "hasTraditionalSystems", "Check for traditional systems (always false)", {}, flag()),
         handler(this, &system_methods::has_traditional)});
}

async<method_response> system_methods::list(call call) {
    CO_TRY(auto systems, fleet_.find_systems(call));
    co_return fleet_.list(std::move(systems));
}

result<method_response> system_methods::list_by_activity(
    const call& call, std::int64_t days, bool active) const {
    TRY(auto systems, fleet_.find_systems(call));
    const auto since = clock_.wall() - std::chrono::hours(24 * days);
    return fleet_.list(
        std::move(systems), [this, since, active](const system_record& system) -> result<value> {
            const auto sighting = fleet_.sighting_of(system);
            const bool is_active = sighting && (sighting->attached || sighting->last_seen >= since);
            return is_active == active ? fleet_.overview(system) : value();
        });
}

async<method_response> system_methods::list_active(call call) {
    co_return list_by_activity(call, default_days, true);
}

async<method_response> system_methods::list_inactive(call call) {
    const bool has_days = !call.operation().takes.empty();
    co_return list_by_activity(call, has_days ? call.integer("days") : default_days, false);
}

async<method_response> system_methods::get_id(call call) {
    const auto name = call.text("name");
    if (!is_plain_name(name)) co_return method_response{value::list()};
    CO_TRY(auto systems, fleet_.find_systems(call, "name:" + name));
    co_return fleet_.list(std::move(systems));
}

async<method_response> system_methods::search_by_name(call call) {
    // The pattern may match anywhere in a name; our expressions match at the start.
    CO_TRY(
        const auto pattern,
        targeting::regex::compile(
            "(?s:.*?)(?:" + call.text("regexp") + ")", targeting::letter_case::exact));
    CO_TRY(auto systems, fleet_.find_systems(call));
    co_return fleet_.list(
        std::move(systems), [this, pattern](const system_record& system) -> result<value> {
            const bool matches = pattern->matches(system.name);
            if (pattern->gave_up()) return fail(errc::invalid, "regular expression timed out");
            return matches ? fleet_.overview(system) : value();
        });
}

async<method_response> system_methods::get_name(call call) {
    CO_TRY(const auto match, fleet_.find(call, call.integer("sid")));
    co_return method_response{fleet_.overview(match)};
}

async<method_response> system_methods::get_details(call call) {
    CO_TRY(const auto match, fleet_.find(call, call.integer("sid")));
    const auto* const profiles = fleet_.deps().profiles;
    if (profiles == nullptr) co_return method_response{fleet_.details(match)};
    auto lookup = profiles->read_one(match.number);
    CO_TRY(const auto profile, co_await within(clock_, api::engine_timeout, std::move(lookup)));
    co_return method_response{fleet_.details(match, profile)};
}

async<method_response> system_methods::list_groups(call call) {
    CO_TRY(const auto match, fleet_.find(call, call.integer("sid")));
    const auto groups = fleet_.deps().groups.current();
    std::set<std::string> names(match.groups.begin(), match.groups.end());
    for (const auto& [name, group] : *groups) names.insert(name);
    const std::vector<std::string> group_names(names.begin(), names.end());
    auto lookup = numbers_.number_all(std::string(compatibility::numbered::group), group_names);
    CO_TRY(const auto numbers, co_await within(clock_, api::engine_timeout, std::move(lookup)));
    value::list list;
    for (std::size_t index = 0; index < group_names.size(); ++index) {
        CO_TRY(const auto is_member, fleet_.is_in_group(match, group_names[index]));
        list.push_back(value::record{
            {"id", numbers[index].number},
            {"sgid", std::to_string(numbers[index].number)},
            {"system_group_name", group_names[index]},
            {"subscribed", is_member ? 1 : 0}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> system_methods::has_traditional(call /*call*/) {
    co_return method_response{false};
}

async<method_response> system_methods::unregister(call call, std::vector<system_record> systems) {
    std::string names;
    fleet::system_service::targets prints;
    for (const auto& system : systems) {
        prints.push_back(system.print);
        if (names.size() < 1000) names += (names.empty() ? "" : " ") + system.name;
    }
    call.set_subject(fmt::format("{} systems: {}", systems.size(), names));
    auto work = keys_.unregister(std::move(prints), call.decider());
    CO_TRY(const auto result, co_await within(clock_, removal_timeout, std::move(work)));
    if (result.failed == 0) co_return method_response{1};
    call.set_partly_done();
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} of {} systems not deleted: {}",
            result.failed,
            systems.size(),
            result.reasons.empty() ? "" : result.reasons.front()));
}

async<method_response> system_methods::remove_system(call call) {
    CO_TRY(auto match, fleet_.find(call, call.integer("sid")));
    std::vector<system_record> systems;
    systems.push_back(std::move(match));
    co_return co_await unregister(std::move(call), std::move(systems));
}

async<method_response> system_methods::remove_systems(call call) {
    CO_TRY(auto systems, fleet_.find_all(call));
    co_return co_await unregister(std::move(call), std::move(systems));
}

}  // namespace muster::xmlrpc_api

#include "api/xmlrpc/methods/group_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"
#include "services/fleet/yield_to_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;
using fleet::group_store;
using fleet::saved_group;

constexpr std::int64_t invalid_group_fault = 2200;
constexpr std::int64_t unknown_group_fault = 2201;
constexpr std::int64_t group_access_fault = 2202;
constexpr std::int64_t systems_max = 10'000;  // of one call
constexpr auto relabel_timeout = std::chrono::seconds(25);

// Only systems with the label are members.
constexpr const char* matches_nothing = "not *";

fault_codes codes() {
    return {
        .not_found = unknown_group_fault,
        .conflict = invalid_group_fault,
        .invalid = invalid_group_fault,
        .denied = group_access_fault};
}

shape group_shape() {
    return record_of(
        {required("id", integer(1)),
         required("name", text()),
         required("description", text()),
         required("org_id", integer(1)),
         required("system_count", integer(0))});
}

constexpr method_defaults methods{.prefix = "systemgroup.", .change_right = right::groups_change};

parameter group_name_parameter() {
    return argument("systemGroupName", api::name());
}

}  // namespace

result<void> group_methods::declare(method_registry& registry) {
    CHECK_OK(registry.add(
        {methods.read_method("listAllGroups", "List groups", {}, list_of(group_shape())),
         handler(this, &group_methods::list_all),
         codes()}));
    auto details = methods.read_method("getDetails", "Get a group", {}, group_shape());
    details.takes = {group_name_parameter()};
    auto by_number = details;
    by_number.takes = {
        argument("systemGroupId", integer(1, compatibility::numeric_id_store::number_max))};
    CHECK_OK(
        registry.add({std::move(details), handler(this, &group_methods::get_details), codes()}));
    CHECK_OK(registry.add(
        {std::move(by_number), handler(this, &group_methods::get_details_by_number), codes()}));
    auto members = methods.read_method(
        "listSystems", "List the systems of a group", {}, list_of(details_shape()));
    members.takes = {group_name_parameter()};
    CHECK_OK(
        registry.add({std::move(members), handler(this, &group_methods::list_systems), codes()}));
    auto create =
        methods.change_method("create", "Create a group", {group_name_parameter()}, group_shape());
    create.takes = {argument("name", api::name()), argument("description", text())};
    CHECK_OK(registry.add({std::move(create), handler(this, &group_methods::create), codes()}));
    auto update =
        methods.change_method("update", "Update a group", {group_name_parameter()}, group_shape());
    update.takes.push_back(argument("description", text()));
    CHECK_OK(registry.add({std::move(update), handler(this, &group_methods::update), codes()}));
    CHECK_OK(registry.add(
        {methods.change_method(
             "delete",
             "Delete a group and its label on all systems",
             {group_name_parameter()},
             integer(1, 1)),
         handler(this, &group_methods::remove),
         codes()}));
    auto change = methods.change_method(
        "addOrRemoveSystems",
        "Add systems to a group, or remove them",
        {group_name_parameter()},
        integer(1, 1));
    change.takes.push_back(argument("serverIds", list_of(system_id(), systems_max)));
    change.takes.push_back(argument("add", flag()));
    change.needed = right::systems_change;
    change.within = scope::filtered;
    return registry.add({std::move(change), handler(this, &group_methods::add_or_remove), codes()});
}

result<saved_group> group_methods::find(const std::string& name) const {
    const auto groups = deps_.groups.current();
    const auto it = groups->find(name);
    if (it == groups->end())
        return fail(errc::not_found, fmt::format("system group \"{}\" not found", name));
    return it->second;
}

result<value> group_methods::group_value(
    const call& call, const saved_group& group, std::int64_t number) const {
    TRY(const auto members, deps_.fleet.find_group_members(call, group.name));
    return value::record{
        {"id", number},
        {"name", group.name},
        {"description", group.description},
        {"org_id", 1},
        {"system_count", static_cast<std::int64_t>(members.size())}};
}

async<value> group_methods::group_value(call call, saved_group group) const {
    auto lookup = deps_.numbers.number(std::string(compatibility::numbered::group), group.name);
    CO_TRY(const auto id, co_await within(deps_.clock, engine_timeout, std::move(lookup)));
    co_return group_value(call, group, id.number);
}

async<method_response> group_methods::list_all(call call) {
    const auto groups = deps_.groups.current();
    std::vector<std::string> names;
    for (const auto& [name, group] : *groups) names.push_back(name);
    auto lookup = deps_.numbers.number_all(std::string(compatibility::numbered::group), names);
    CO_TRY(const auto numbers, co_await within(deps_.clock, engine_timeout, std::move(lookup)));
    value::list list;
    for (std::size_t index = 0; index < names.size(); ++index) {
        CO_TRY(auto output, group_value(call, groups->at(names[index]), numbers[index].number));
        list.push_back(std::move(output));
        co_await fleet::yield_to_loop();
    }
    co_return method_response{std::move(list)};
}

async<method_response> group_methods::get_details(call call) {
    CO_TRY(auto group, find(call.text("systemGroupName")));
    CO_TRY(auto output, co_await group_value(std::move(call), std::move(group)));
    co_return method_response{std::move(output)};
}

async<method_response> group_methods::get_details_by_number(call call) {
    const auto number = call.integer("systemGroupId");
    auto lookup = deps_.numbers.find(std::string(compatibility::numbered::group), number);
    const auto id = co_await within(deps_.clock, engine_timeout, std::move(lookup));
    if (!id && id.error().code() == errc::not_found)
        co_return fail(errc::not_found, fmt::format("system group \"{}\" not found", number));
    CO_CHECK_OK(id);
    CO_TRY(const auto group, find(id->name));
    CO_TRY(auto output, group_value(call, group, number));
    co_return method_response{std::move(output)};
}

async<method_response> group_methods::list_systems(call call) {
    CO_TRY(const auto group, find(call.text("systemGroupName")));
    CO_TRY(auto members, deps_.fleet.find_group_members(call, group.name));
    co_return deps_.fleet.list(
        std::move(members), [&fleet = deps_.fleet](const system_record& system) -> result<value> {
            return fleet.details(system);
        });
}

async<method_response> group_methods::create(call call) {
    saved_group group{.name = call.text("name"), .definition = matches_nothing};
    group.description = call.text("description");
    group.changed_by = call.caller().user;
    auto work = deps_.groups.put(std::move(group), group_store::existing_policy::refuse);
    CO_TRY(const auto saved, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await group_value(std::move(call), saved));
    co_return method_response{std::move(output)};
}

async<method_response> group_methods::update(call call) {
    CO_TRY(auto group, find(call.text("systemGroupName")));
    call.set_subject(group.name);
    group.description = call.text("description");
    group.changed_by = call.caller().user;
    auto work = deps_.groups.put(std::move(group), group_store::existing_policy::replace);
    CO_TRY(const auto saved, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await group_value(std::move(call), saved));
    co_return method_response{std::move(output)};
}

async<void> group_methods::relabel(
    call call, fleet::system_service::targets targets, lifecycle::label_change change) const {
    if (targets.empty()) co_return result<void>();
    auto work = deps_.keys.relabel(std::move(targets), std::move(change), call.decider());
    CO_TRY(const auto outcome, co_await within(deps_.clock, relabel_timeout, std::move(work)));
    if (outcome.failed == 0) co_return result<void>();
    call.set_partly_done();
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} systems not changed: {}",
            outcome.failed,
            outcome.reasons.empty() ? "" : outcome.reasons.front()));
}

async<method_response> group_methods::remove(call call) {
    CO_TRY(const auto group, find(call.text("systemGroupName")));
    call.set_subject(group.name);
    CO_TRY(const auto members, deps_.fleet.find_group_members(call, group.name));
    fleet::system_service::targets labelled;
    members.for_each([&](system_number number) {
        const auto record = deps_.fleet.deps().systems.find(number);
        if (record && std::ranges::find(record->groups, group.name) != record->groups.end())
            labelled.push_back(record->print);
    });
    if (!labelled.empty() && !call.caller().may.everywhere(right::systems_change))
        co_return fail(
            errc::denied,
            "group has systems; removing them requires the right systems.change in the whole "
            "cluster");
    // Removes the group first: if it is still referenced, nothing changes.
    auto work = deps_.groups.remove(group.name, call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_partly_done();
    CO_CHECK_OK(co_await relabel(call, std::move(labelled), {.groups_removed = {group.name}}));
    co_return method_response{1};
}

async<method_response> group_methods::add_or_remove(call call) {
    CO_TRY(const auto group, find(call.text("systemGroupName")));
    fleet::system_service::targets targets;
    for (const auto& item : *call.arguments().find("serverIds")->get<value::list>()) {
        CO_TRY(const auto match, deps_.fleet.find(call, *item.get<std::int64_t>()));
        targets.push_back(match.print);
    }
    const bool add = call.flag("add");
    call.set_subject(
        fmt::format("{}: {} systems {}", group.name, targets.size(), add ? "added" : "removed"));
    if (add) {
        auto check = deps_.guard.check(call, {group.name});
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(check)));
    }
    lifecycle::label_change label_change;
    (add ? label_change.groups_added : label_change.groups_removed).push_back(group.name);
    CO_CHECK_OK(co_await relabel(call, std::move(targets), std::move(label_change)));
    co_return method_response{1};
}

}  // namespace muster::xmlrpc_api

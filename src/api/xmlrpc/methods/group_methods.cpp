#include "api/xmlrpc/methods/group_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"
#include "services/fleet/let_others_run.h"

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

constexpr std::int64_t group_invalid = 2200;
constexpr std::int64_t group_unknown = 2201;
constexpr std::int64_t group_access = 2202;
constexpr std::int64_t systems_max = 10'000;  // of one call
constexpr auto relabel_timeout = std::chrono::seconds(25);

// Members are those that have the label.
constexpr const char* nobody = "not *";

fault_codes codes() {
    return {
        .not_found = group_unknown,
        .conflict = group_invalid,
        .invalid = group_invalid,
        .denied = group_access};
}

shape group_shape() {
    return record_of(
        {required("id", integer(1)),
         required("name", text()),
         required("description", text()),
         required("org_id", integer(1)),
         required("system_count", integer(0))});
}

constexpr method_defaults methods{.prefix = "systemgroup.", .changes = right::groups_change};

parameter named_group() {
    return argument("systemGroupName", api::name());
}

}  // namespace

result<void> group_methods::declare(method_registry& to) {
    CHECK_OK(to.add(
        {methods.reading("listAllGroups", "The saved groups", {}, list_of(group_shape())),
         done_by(this, &group_methods::list_all),
         codes()}));
    auto details = methods.reading("getDetails", "A saved group", {}, group_shape());
    details.takes = {named_group()};
    auto by_number = details;
    by_number.takes = {
        argument("systemGroupId", integer(1, compatibility::numeric_id_store::number_max))};
    CHECK_OK(to.add({std::move(details), done_by(this, &group_methods::get_details), codes()}));
    CHECK_OK(to.add(
        {std::move(by_number), done_by(this, &group_methods::get_details_by_number), codes()}));
    auto members =
        methods.reading("listSystems", "The systems of a group", {}, list_of(details_shape()));
    members.takes = {named_group()};
    CHECK_OK(to.add({std::move(members), done_by(this, &group_methods::list_systems), codes()}));
    auto create = methods.changing("create", "Makes a group", {named_group()}, group_shape());
    create.takes = {argument("name", api::name()), argument("description", text())};
    CHECK_OK(to.add({std::move(create), done_by(this, &group_methods::create), codes()}));
    auto update =
        methods.changing("update", "Describes a group anew", {named_group()}, group_shape());
    update.takes.push_back(argument("description", text()));
    CHECK_OK(to.add({std::move(update), done_by(this, &group_methods::update), codes()}));
    CHECK_OK(to.add(
        {methods.changing(
             "delete",
             "Removes a group, and its label from its systems",
             {named_group()},
             integer(1, 1)),
         done_by(this, &group_methods::remove),
         codes()}));
    auto change = methods.changing(
        "addOrRemoveSystems", "Adds systems to a group", {named_group()}, integer(1, 1));
    change.takes.push_back(argument("serverIds", list_of(system_id(), systems_max)));
    change.takes.push_back(argument("add", flag()));
    change.needed = right::systems_change;
    change.within = scope::filtered;
    return to.add({std::move(change), done_by(this, &group_methods::add_or_remove), codes()});
}

result<saved_group> group_methods::find(const std::string& name) const {
    const auto groups = deps_.groups.current();
    const auto it = groups->find(name);
    if (it == groups->end())
        return fail(errc::not_found, fmt::format("There is no system group {}", name));
    return it->second;
}

result<value> group_methods::told(
    const call& call, const saved_group& group, std::int64_t number) const {
    TRY(const auto members, deps_.view.in_group(call, group.name));
    return value::record{
        {"id", number},
        {"name", group.name},
        {"description", group.description},
        {"org_id", 1},
        {"system_count", static_cast<std::int64_t>(members.size())}};
}

async<value> group_methods::told(call call, saved_group group) const {
    auto asking = deps_.numbers.number(std::string(compatibility::numbered::group), group.name);
    CO_TRY(const auto existing, co_await within(deps_.clock, engine_timeout, std::move(asking)));
    co_return told(call, group, existing.number);
}

async<answer> group_methods::list_all(call call) {
    const auto groups = deps_.groups.current();
    std::vector<std::string> names;
    for (const auto& [name, each] : *groups) names.push_back(name);
    auto asking = deps_.numbers.number_all(std::string(compatibility::numbered::group), names);
    CO_TRY(const auto numbers, co_await within(deps_.clock, engine_timeout, std::move(asking)));
    value::list list;
    for (std::size_t at = 0; at < names.size(); ++at) {
        CO_TRY(auto output, told(call, groups->at(names[at]), numbers[at].number));
        list.push_back(std::move(output));
        co_await fleet::let_others_run();
    }
    co_return answer{std::move(list)};
}

async<answer> group_methods::get_details(call call) {
    CO_TRY(auto group, find(call.text("systemGroupName")));
    CO_TRY(auto output, co_await told(std::move(call), std::move(group)));
    co_return answer{std::move(output)};
}

async<answer> group_methods::get_details_by_number(call call) {
    const auto number = call.integer("systemGroupId");
    auto asking = deps_.numbers.find(std::string(compatibility::numbered::group), number);
    const auto existing = co_await within(deps_.clock, engine_timeout, std::move(asking));
    if (!existing && existing.error().code() == errc::not_found)
        co_return fail(errc::not_found, fmt::format("There is no system group {}", number));
    CO_CHECK_OK(existing);
    CO_TRY(const auto group, find(existing->name));
    CO_TRY(auto output, told(call, group, number));
    co_return answer{std::move(output)};
}

async<answer> group_methods::list_systems(call call) {
    CO_TRY(const auto group, find(call.text("systemGroupName")));
    CO_TRY(auto members, deps_.view.in_group(call, group.name));
    co_return deps_.view.list(
        std::move(members), [&view = deps_.view](const system_record& system) -> result<value> {
            return view.details(system);
        });
}

async<answer> group_methods::create(call call) {
    saved_group saved_group{.name = call.text("name"), .definition = nobody};
    saved_group.description = call.text("description");
    saved_group.changed_by = call.who().user;
    auto work = deps_.groups.put(std::move(saved_group), group_store::existing::refuse);
    CO_TRY(const auto saved, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await told(std::move(call), saved));
    co_return answer{std::move(output)};
}

async<answer> group_methods::update(call call) {
    CO_TRY(auto desired, find(call.text("systemGroupName")));
    call.set_subject(desired.name);
    desired.description = call.text("description");
    desired.changed_by = call.who().user;
    auto work = deps_.groups.put(std::move(desired), group_store::existing::replace);
    CO_TRY(const auto saved, co_await within(deps_.clock, engine_timeout, std::move(work)));
    CO_TRY(auto output, co_await told(std::move(call), saved));
    co_return answer{std::move(output)};
}

async<void> group_methods::relabel(
    call call, fleet::system_service::targets targets, lifecycle::label_change label_change) const {
    if (targets.empty()) co_return result<void>();
    auto work = deps_.keys.relabel(std::move(targets), std::move(label_change), call.decider());
    CO_TRY(const auto done, co_await within(deps_.clock, relabel_timeout, std::move(work)));
    if (done.failed == 0) co_return result<void>();
    call.set_partly_done();
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} systems were not changed: {}",
            done.failed,
            done.reasons.empty() ? "" : done.reasons.front()));
}

async<answer> group_methods::remove(call call) {
    CO_TRY(const auto group, find(call.text("systemGroupName")));
    call.set_subject(group.name);
    CO_TRY(const auto members, deps_.view.in_group(call, group.name));
    fleet::system_service::targets labelled;
    members.for_each([&](system_number system_number) {
        const auto record = deps_.view.around().systems.find(system_number);
        if (record && std::ranges::find(record->groups, group.name) != record->groups.end())
            labelled.push_back(record->print);
    });
    if (!labelled.empty() && !call.who().may.everywhere(right::systems_change))
        co_return fail(
            errc::denied,
            "the group has systems: taking them out needs the right systems.change in the whole "
            "cluster");
    // The group first: while others name it, nothing is done.
    auto work = deps_.groups.remove(group.name, call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_partly_done();
    CO_CHECK_OK(co_await relabel(call, std::move(labelled), {.groups_removed = {group.name}}));
    co_return answer{1};
}

async<answer> group_methods::add_or_remove(call call) {
    CO_TRY(const auto group, find(call.text("systemGroupName")));
    fleet::system_service::targets targets;
    for (const auto& each : *call.arguments().find("serverIds")->get<value::list>()) {
        CO_TRY(const auto match, deps_.view.find(call, *each.get<std::int64_t>()));
        targets.push_back(match.print);
    }
    const bool add = call.flag("add");
    call.set_subject(
        fmt::format("{}: {} systems {}", group.name, targets.size(), add ? "added" : "removed"));
    if (add) {
        auto checking = deps_.guard.check(call, {group.name});
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(checking)));
    }
    lifecycle::label_change label_change;
    (add ? label_change.groups_added : label_change.groups_removed).push_back(group.name);
    CO_CHECK_OK(co_await relabel(call, std::move(targets), std::move(label_change)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api

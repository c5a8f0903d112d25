#include "api/xmlrpc/methods/group_methods.h"

#include "ports/deadline.h"
#include "api/xmlrpc/methods/declaring.h"
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
using fleet::group_book;
using fleet::saved_group;
using api::engine_patience;

constexpr std::int64_t group_invalid = 2200;
constexpr std::int64_t group_unknown = 2201;
constexpr std::int64_t group_access = 2202;
constexpr std::int64_t systems_max = 10'000;  // of one call
constexpr auto relabel_patience = std::chrono::seconds(25);

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

constexpr method_family methods{.prefix = "systemgroup.", .changes = right::groups_change};

parameter named_group() {
    return argument("systemGroupName", api::name());
}

}  // namespace

result<void> group_methods::declare(method_book& to) {
    CHECK_OK(to.add(
        {methods.reading("listAllGroups", "The saved groups", {}, list_of(group_shape())),
         done_by(this, &group_methods::list_all),
         codes()}));
    auto details = methods.reading("getDetails", "A saved group", {}, group_shape());
    details.takes = {named_group()};
    auto by_number = details;
    by_number.takes = {argument("systemGroupId", integer(1, compatibility::number_book::number_max))};
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
    const auto known = around_.groups.current();
    const auto found = known->find(name);
    if (found == known->end())
        return fail(errc::not_found, fmt::format("There is no system group {}", name));
    return found->second;
}

result<value> group_methods::told(
    const call& asked, const saved_group& group, std::int64_t number) const {
    TRY(const auto members, around_.view.in_group(asked, group.name));
    return value::record{
        {"id", number},
        {"name", group.name},
        {"description", group.description},
        {"org_id", 1},
        {"system_count", static_cast<std::int64_t>(members.size())}};
}

async<value> group_methods::told(call asked, saved_group group) const {
    auto asking = around_.numbers.number(std::string(cluster::numbered::group), group.name);
    CO_TRY(const auto known, co_await within(around_.time, engine_patience, std::move(asking)));
    co_return told(asked, group, known.number);
}

async<answer> group_methods::list_all(call asked) {
    const auto known = around_.groups.current();
    std::vector<std::string> names;
    for (const auto& [name, each] : *known) names.push_back(name);
    auto asking = around_.numbers.number_all(std::string(cluster::numbered::group), names);
    CO_TRY(const auto numbers, co_await within(around_.time, engine_patience, std::move(asking)));
    value::list made;
    for (std::size_t at = 0; at < names.size(); ++at) {
        CO_TRY(auto shown, told(asked, known->at(names[at]), numbers[at].number));
        made.push_back(std::move(shown));
        co_await fleet::let_others_run();
    }
    co_return answer{std::move(made)};
}

async<answer> group_methods::get_details(call asked) {
    CO_TRY(auto group, find(asked.text("systemGroupName")));
    CO_TRY(auto shown, co_await told(std::move(asked), std::move(group)));
    co_return answer{std::move(shown)};
}

async<answer> group_methods::get_details_by_number(call asked) {
    const auto number = asked.integer("systemGroupId");
    auto asking = around_.numbers.find(std::string(cluster::numbered::group), number);
    const auto known = co_await within(around_.time, engine_patience, std::move(asking));
    if (!known && known.error().code() == errc::not_found)
        co_return fail(errc::not_found, fmt::format("There is no system group {}", number));
    CO_CHECK_OK(known);
    CO_TRY(const auto group, find(known->name));
    CO_TRY(auto shown, told(asked, group, number));
    co_return answer{std::move(shown)};
}

async<answer> group_methods::list_systems(call asked) {
    CO_TRY(const auto group, find(asked.text("systemGroupName")));
    CO_TRY(auto members, around_.view.in_group(asked, group.name));
    co_return around_.view.list(
        std::move(members), [&view = around_.view](const system_record& each) -> result<value> {
            return view.details(each);
        });
}

async<answer> group_methods::create(call asked) {
    saved_group wanted{.name = asked.text("name"), .definition = nobody};
    wanted.description = asked.text("description");
    wanted.changed_by = asked.who().user;
    auto work = around_.groups.put(std::move(wanted), group_book::existing::refuse);
    CO_TRY(const auto saved, co_await within(around_.time, engine_patience, std::move(work)));
    CO_TRY(auto shown, co_await told(std::move(asked), saved));
    co_return answer{std::move(shown)};
}

async<answer> group_methods::update(call asked) {
    CO_TRY(auto wanted, find(asked.text("systemGroupName")));
    asked.set_subject(wanted.name);
    wanted.description = asked.text("description");
    wanted.changed_by = asked.who().user;
    auto work = around_.groups.put(std::move(wanted), group_book::existing::replace);
    CO_TRY(const auto saved, co_await within(around_.time, engine_patience, std::move(work)));
    CO_TRY(auto shown, co_await told(std::move(asked), saved));
    co_return answer{std::move(shown)};
}

async<void> group_methods::relabel(
    call asked, fleet::registrar::targets which, lifecycle::label_change wanted) const {
    if (which.empty()) co_return result<void>();
    auto work = around_.keys.relabel(std::move(which), std::move(wanted), asked.decider());
    CO_TRY(const auto done, co_await within(around_.time, relabel_patience, std::move(work)));
    if (done.failed == 0) co_return result<void>();
    asked.set_partly_done();
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} systems were not changed: {}",
            done.failed,
            done.reasons.empty() ? "" : done.reasons.front()));
}

async<answer> group_methods::remove(call asked) {
    CO_TRY(const auto group, find(asked.text("systemGroupName")));
    asked.set_subject(group.name);
    CO_TRY(const auto members, around_.view.in_group(asked, group.name));
    fleet::registrar::targets labelled;
    members.for_each([&](system_number each) {
        const auto record = around_.view.around().known.find(each);
        if (record && std::ranges::find(record->groups, group.name) != record->groups.end())
            labelled.push_back(record->print);
    });
    if (!labelled.empty() && !asked.who().may.everywhere(right::systems_change))
        co_return fail(
            errc::denied,
            "the group has systems: taking them out needs the right systems.change in the whole "
            "cluster");
    // The group first: while others name it, nothing is done.
    auto work = around_.groups.remove(group.name, asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    asked.set_partly_done();
    CO_CHECK_OK(co_await relabel(asked, std::move(labelled), {.groups_removed = {group.name}}));
    co_return answer{1};
}

async<answer> group_methods::add_or_remove(call asked) {
    CO_TRY(const auto group, find(asked.text("systemGroupName")));
    fleet::registrar::targets which;
    for (const auto& each : *asked.arguments().find("serverIds")->get<value::list>()) {
        CO_TRY(const auto found, around_.view.find(asked, *each.get<std::int64_t>()));
        which.push_back(found.print);
    }
    const bool add = asked.flag("add");
    asked.set_subject(
        fmt::format("{}: {} systems {}", group.name, which.size(), add ? "added" : "removed"));
    if (add) {
        auto checking = around_.guard.check(asked, {group.name});
        CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(checking)));
    }
    lifecycle::label_change wanted;
    (add ? wanted.groups_added : wanted.groups_removed).push_back(group.name);
    CO_CHECK_OK(co_await relabel(asked, std::move(which), std::move(wanted)));
    co_return answer{1};
}

}  // namespace muster::xmlrpc_api

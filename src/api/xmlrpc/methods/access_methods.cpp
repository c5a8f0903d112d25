#include "api/xmlrpc/methods/access_methods.h"

#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_patience;

constexpr std::int64_t rights_max = 100;

operation reading(std::string name, std::string summary, std::vector<parameter> takes) {
    auto made = asking(
        "access." + std::move(name), std::move(summary), std::move(takes), list_of(anything()));
    made.needed = right::people_read;
    made.within = scope::cluster;
    return made;
}

parameter label() {
    return argument("label", name());
}

std::string mode_of(right what) {
    return access::to_string(what).ends_with(".read") ? "R" : "W";
}

value told_right(right what) {
    return value::record{
        {"namespace", access::to_string(what)},
        {"access_mode", mode_of(what)},
        {"description", fmt::format("the right {}", access::to_string(what))}};
}

value told_role(const std::string& label, const std::string& about) {
    return value::record{{"label", label}, {"description", about}};
}

result<access::rights> rights_of(const call& asked, const std::string& role) {
    const auto known = asked.desk().people.known.read();
    const auto found = known->meanings->find(role);
    if (found == known->meanings->end())
        return fail(errc::not_found, fmt::format("There is no role {}", role));
    return found->second;
}

// The rights that `namespaces` and, if it is there, `modes` mean.
result<access::rights> rights_in(const call& asked) {
    const bool narrowed = asked.operation().takes.size() > 2;
    const auto modes = narrowed ? labels_in(asked, "modes") : std::vector<std::string>{"R", "W"};
    for (const auto& each : modes)
        if (each != "R" && each != "W") return fail(errc::invalid, "a mode is R or W");
    access::rights made;
    for (const auto& each : labels_in(asked, "namespaces")) {
        const auto found = access::parse_right(each);
        if (!found || *found == right::none || *found == right::self)
            return fail(
                errc::invalid,
                fmt::format("there is no right {}; access.listNamespaces names them", each));
        const bool meant = std::ranges::find(modes, mode_of(*found)) != modes.end();
        if (meant) made.insert(*found);
    }
    return made;
}

}  // namespace

result<void> access_methods::declare(method_book& to) {
    using self = access_methods;
    CHECK_OK(to.add({reading("listRoles", "The roles", {}), done_by(this, &self::list_roles)}));
    CHECK_OK(to.add(
        {reading("listNamespaces", "The rights", {}), done_by(this, &self::list_namespaces)}));
    CHECK_OK(to.add(
        {reading("listPermissions", "The rights of a role", {label()}),
         done_by(this, &self::list_permissions)}));
    auto create = changing(
        "access.createRole",
        "Makes a role",
        {label(), argument("description", text())},
        right::people_change,
        anything());
    CHECK_OK(to.add({create, done_by(this, &self::create_role)}));
    create.takes.push_back(labels("permissionsFrom"));
    CHECK_OK(to.add({std::move(create), done_by(this, &self::create_role)}));
    CHECK_OK(to.add(
        {changing(
             "access.deleteRole",
             "Removes a role that nobody has",
             {label()},
             right::people_change),
         done_by(this, &self::delete_role)}));
    const auto some = argument("namespaces", list_of(text(), rights_max));
    const auto modes = argument("modes", list_of(text(), rights_max));
    auto grant = changing(
        "access.grantAccess", "Adds rights to a role", {label(), some}, right::people_change);
    CHECK_OK(to.add({grant, done_by(this, &self::grant)}));
    grant.takes.push_back(modes);
    CHECK_OK(to.add({std::move(grant), done_by(this, &self::grant)}));
    auto revoke = changing(
        "access.revokeAccess", "Takes rights from a role", {label(), some}, right::people_change);
    CHECK_OK(to.add({revoke, done_by(this, &self::revoke)}));
    revoke.takes.push_back(modes);
    return to.add({std::move(revoke), done_by(this, &self::revoke)});
}

async<answer> access_methods::list_roles(call asked) {
    const auto known = asked.desk().people.known.read();
    value::list made;
    for (const auto& [name, rights] : *known->meanings) {
        const auto own = known->roles->find(name);
        const bool built_in = own == known->roles->end();
        made.push_back(told_role(name, built_in ? "built in" : own->second.record.about));
    }
    co_return answer{std::move(made)};
}

async<answer> access_methods::list_namespaces(call /*asked*/) {
    value::list made;
    for (const auto each : access::all_rights()) made.push_back(told_right(each));
    co_return answer{std::move(made)};
}

async<answer> access_methods::list_permissions(call asked) {
    CO_TRY(const auto rights, rights_of(asked, asked.text("label")));
    value::list made;
    for (const auto each : rights) made.push_back(told_right(each));
    co_return answer{std::move(made)};
}

async<answer> access_methods::create_role(call asked) {
    people::role_record wanted{.name = asked.text("label")};
    asked.set_subject(wanted.name);
    wanted.about = asked.text("description");
    if (asked.operation().takes.size() > 2) {
        for (const auto& each : labels_in(asked, "permissionsFrom")) {
            CO_TRY(const auto some, rights_of(asked, each));
            wanted.rights.insert(some.begin(), some.end());
        }
    }
    auto work = asked.desk().people.roles.add(asked.who(), std::move(wanted));
    CO_TRY(const auto made, co_await within(time_, engine_patience, std::move(work)));
    co_return answer{told_role(made.name, made.about)};
}

async<answer> access_methods::delete_role(call asked) {
    asked.set_subject(asked.text("label"));
    auto work = asked.desk().people.roles.remove(asked.who(), asked.text("label"));
    CO_CHECK_OK(co_await within(time_, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> access_methods::change_role(call asked, change how) {
    const auto& label = asked.text("label");
    CO_TRY(const auto some, rights_in(asked));
    std::string names;
    for (const auto each : some) names += fmt::format(" {}", access::to_string(each));
    asked.set_subject(label + names);
    people::role_book::changes wanted;
    (how == change::grant ? wanted.given : wanted.taken) = some;
    auto work = asked.desk().people.roles.change(asked.who(), label, std::move(wanted));
    CO_CHECK_OK(co_await within(time_, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> access_methods::grant(call asked) {
    return change_role(std::move(asked), change::grant);
}

async<answer> access_methods::revoke(call asked) {
    return change_role(std::move(asked), change::revoke);
}

}  // namespace muster::xmlrpc_api

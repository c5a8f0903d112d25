#include "api/xmlrpc/methods/access_methods.h"

#include "api/xmlrpc/methods/actor.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::int64_t rights_max = 100;

operation reading(std::string name, std::string summary, std::vector<parameter> takes) {
    auto result = asking(
        "access." + std::move(name), std::move(summary), std::move(takes), list_of(anything()));
    result.needed = right::people_read;
    result.within = scope::cluster;
    return result;
}

parameter label() {
    return argument("label", name());
}

std::string mode_of(right right) {
    return access::to_string(right).ends_with(".read") ? "R" : "W";
}

value told_right(right right) {
    return value::record{
        {"namespace", access::to_string(right)},
        {"access_mode", mode_of(right)},
        {"description", fmt::format("the right {}", access::to_string(right))}};
}

value told_role(const std::string& label, const std::string& about) {
    return value::record{{"label", label}, {"description", about}};
}

result<access::rights> rights_of(const call& call, const std::string& role) {
    const auto existing = call.context().people.known.read();
    const auto it = existing->meanings->find(role);
    if (it == existing->meanings->end())
        return fail(errc::not_found, fmt::format("There is no role {}", role));
    return it->second;
}

// The rights that `namespaces` and, if it is there, `modes` mean.
result<access::rights> rights_in(const call& call) {
    const bool narrowed = call.operation().takes.size() > 2;
    const auto modes = narrowed ? labels_in(call, "modes") : std::vector<std::string>{"R", "W"};
    for (const auto& mode : modes)
        if (mode != "R" && mode != "W") return fail(errc::invalid, "a mode is R or W");
    access::rights rights;
    for (const auto& each : labels_in(call, "namespaces")) {
        const auto match = access::parse_right(each);
        if (!match || *match == right::none || *match == right::self)
            return fail(
                errc::invalid,
                fmt::format("there is no right {}; access.listNamespaces names them", each));
        const bool meant = std::ranges::find(modes, mode_of(*match)) != modes.end();
        if (meant) rights.insert(*match);
    }
    return rights;
}

}  // namespace

result<void> access_methods::declare(method_registry& to) {
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

async<answer> access_methods::list_roles(call call) {
    const auto existing = call.context().people.known.read();
    value::list list;
    for (const auto& [name, rights] : *existing->meanings) {
        const auto own = existing->roles->find(name);
        const bool built_in = own == existing->roles->end();
        list.push_back(told_role(name, built_in ? "built in" : own->second.record.about));
    }
    co_return answer{std::move(list)};
}

async<answer> access_methods::list_namespaces(call /*asked*/) {
    value::list list;
    for (const auto all_right : access::all_rights()) list.push_back(told_right(all_right));
    co_return answer{std::move(list)};
}

async<answer> access_methods::list_permissions(call call) {
    CO_TRY(const auto rights, rights_of(call, call.text("label")));
    value::list list;
    for (const auto right : rights) list.push_back(told_right(right));
    co_return answer{std::move(list)};
}

async<answer> access_methods::create_role(call call) {
    people::role_record role{.name = call.text("label")};
    call.set_subject(role.name);
    role.about = call.text("description");
    if (call.operation().takes.size() > 2) {
        for (const auto& each : labels_in(call, "permissionsFrom")) {
            CO_TRY(const auto some, rights_of(call, each));
            role.rights.insert(some.begin(), some.end());
        }
    }
    auto work = call.context().people.roles.add(actor_of(call), std::move(role));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    co_return answer{told_role(result.name, result.about)};
}

async<answer> access_methods::delete_role(call call) {
    call.set_subject(call.text("label"));
    auto work = call.context().people.roles.remove(actor_of(call), call.text("label"));
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> access_methods::change_role(call call, change how) {
    const auto& label = call.text("label");
    CO_TRY(const auto some, rights_in(call));
    std::string names;
    for (const auto each : some) names += fmt::format(" {}", access::to_string(each));
    call.set_subject(label + names);
    people::role_service::changes changes;
    (how == change::grant ? changes.given : changes.taken) = some;
    auto work = call.context().people.roles.change(actor_of(call), label, std::move(changes));
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> access_methods::grant(call call) {
    return change_role(std::move(call), change::grant);
}

async<answer> access_methods::revoke(call call) {
    return change_role(std::move(call), change::revoke);
}

}  // namespace muster::xmlrpc_api

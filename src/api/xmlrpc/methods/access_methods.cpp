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

operation people_read_method(
    std::string name, std::string summary, std::vector<parameter> parameters) {
    auto result = read_method(
        "access." + std::move(name),
        std::move(summary),
        std::move(parameters),
        list_of(anything()));
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

value right_value(right right) {
    return value::record{
        {"namespace", access::to_string(right)},
        {"access_mode", mode_of(right)},
        {"description", fmt::format("the right {}", access::to_string(right))}};
}

value role_value(const std::string& label, const std::string& description) {
    return value::record{{"label", label}, {"description", description}};
}

result<access::rights> find_rights(const call& call, const std::string& role) {
    const auto snapshot = call.context().people.cache.read();
    const auto it = snapshot->role_rights->find(role);
    if (it == snapshot->role_rights->end())
        return fail(errc::not_found, fmt::format("role \"{}\" not found", role));
    return it->second;
}

// Reads the rights of `namespaces`, limited to `modes` if present.
result<access::rights> read_rights(const call& call) {
    const bool has_modes = call.operation().takes.size() > 2;
    const auto modes = has_modes ? read_labels(call, "modes") : std::vector<std::string>{"R", "W"};
    for (const auto& mode : modes)
        if (mode != "R" && mode != "W") return fail(errc::invalid, "mode must be R or W");
    access::rights rights;
    for (const auto& label : read_labels(call, "namespaces")) {
        const auto match = access::parse_right(label);
        if (!match || *match == right::none || *match == right::self)
            return fail(
                errc::invalid,
                fmt::format(
                    "right \"{}\" not found; list rights with access.listNamespaces", label));
        const bool selected = std::ranges::find(modes, mode_of(*match)) != modes.end();
        if (selected) rights.insert(*match);
    }
    return rights;
}

}  // namespace

result<void> access_methods::declare(method_registry& registry) {
    using self = access_methods;
    CHECK_OK(registry.add(
        {people_read_method("listRoles", "List roles", {}), handler(this, &self::list_roles)}));
    CHECK_OK(registry.add(
        {people_read_method("listNamespaces", "List rights", {}),
         handler(this, &self::list_namespaces)}));
    CHECK_OK(registry.add(
        {people_read_method("listPermissions", "List the rights of a role", {label()}),
         handler(this, &self::list_permissions)}));
    auto create = change_method(
        "access.createRole",
        "Create a role",
        {label(), argument("description", text())},
        right::people_change,
        anything());
    CHECK_OK(registry.add({create, handler(this, &self::create_role)}));
    create.takes.push_back(labels_parameter("permissionsFrom"));
    CHECK_OK(registry.add({std::move(create), handler(this, &self::create_role)}));
    CHECK_OK(registry.add(
        {change_method(
             "access.deleteRole", "Delete an unused role", {label()}, right::people_change),
         handler(this, &self::delete_role)}));
    const auto rights = argument("namespaces", list_of(text(), rights_max));
    const auto modes = argument("modes", list_of(text(), rights_max));
    auto grant = change_method(
        "access.grantAccess", "Add rights to a role", {label(), rights}, right::people_change);
    CHECK_OK(registry.add({grant, handler(this, &self::grant)}));
    grant.takes.push_back(modes);
    CHECK_OK(registry.add({std::move(grant), handler(this, &self::grant)}));
    auto revoke = change_method(
        "access.revokeAccess",
        "Remove rights from a role",
        {label(), rights},
        right::people_change);
    CHECK_OK(registry.add({revoke, handler(this, &self::revoke)}));
    revoke.takes.push_back(modes);
    return registry.add({std::move(revoke), handler(this, &self::revoke)});
}

async<method_response> access_methods::list_roles(call call) {
    const auto snapshot = call.context().people.cache.read();
    value::list list;
    for (const auto& [name, rights] : *snapshot->role_rights) {
        const auto custom = snapshot->roles->find(name);
        const bool built_in = custom == snapshot->roles->end();
        list.push_back(role_value(name, built_in ? "built in" : custom->second.record.about));
    }
    co_return method_response{std::move(list)};
}

async<method_response> access_methods::list_namespaces(call /*call*/) {
    value::list list;
    for (const auto right : access::all_rights()) list.push_back(right_value(right));
    co_return method_response{std::move(list)};
}

async<method_response> access_methods::list_permissions(call call) {
    CO_TRY(const auto rights, find_rights(call, call.text("label")));
    value::list list;
    for (const auto right : rights) list.push_back(right_value(right));
    co_return method_response{std::move(list)};
}

async<method_response> access_methods::create_role(call call) {
    people::role_record role{.name = call.text("label")};
    call.set_subject(role.name);
    role.about = call.text("description");
    if (call.operation().takes.size() > 2) {
        for (const auto& label : read_labels(call, "permissionsFrom")) {
            CO_TRY(const auto rights, find_rights(call, label));
            role.rights.insert(rights.begin(), rights.end());
        }
    }
    auto work = call.context().people.roles.add(actor_of(call), std::move(role));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    co_return method_response{role_value(result.name, result.about)};
}

async<method_response> access_methods::delete_role(call call) {
    call.set_subject(call.text("label"));
    auto work = call.context().people.roles.remove(actor_of(call), call.text("label"));
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> access_methods::change_role(call call, change action) {
    const auto& label = call.text("label");
    CO_TRY(const auto rights, read_rights(call));
    std::string names;
    for (const auto right : rights) names += fmt::format(" {}", access::to_string(right));
    call.set_subject(label + names);
    people::role_service::changes changes;
    (action == change::grant ? changes.added : changes.removed) = rights;
    auto work = call.context().people.roles.change(actor_of(call), label, std::move(changes));
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> access_methods::grant(call call) {
    return change_role(std::move(call), change::grant);
}

async<method_response> access_methods::revoke(call call) {
    return change_role(std::move(call), change::revoke);
}

}  // namespace muster::xmlrpc_api

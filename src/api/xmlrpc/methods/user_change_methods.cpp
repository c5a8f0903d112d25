#include "api/xmlrpc/methods/user_change_methods.h"

#include "api/xmlrpc/methods/activation_key_format.h"
#include "api/xmlrpc/methods/actor.h"
#include "core/access/account_rules.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::int64_t password_bytes_max = 1024;
constexpr const char* default_role = "viewer";  // of new users

parameter login() {
    return argument("login", name());
}

operation user_change_method(
    std::string name, std::string summary, std::vector<parameter> parameters) {
    parameters.insert(parameters.begin(), login());
    auto result = change_method(
        "user." + std::move(name), std::move(summary), std::move(parameters), right::people_change);
    result.within = scope::filtered;  // the user's grants decide who may change the user
    return result;
}

people::user_service& user_service(const call& call) {
    return call.context().people.users;
}

result<people::user_record> find(const call& call) {
    const auto& user = call.text("login");
    call.set_subject(user);
    const auto snapshot = call.context().people.cache.read();
    const auto it = snapshot->users->find(user);
    if (it == snapshot->users->end())
        return fail(errc::not_found, fmt::format("user \"{}\" not found", user));
    return it->second.record;
}

std::string full_name(const std::string& first, const std::string& last) {
    return first.empty() || last.empty() ? first + last : first + " " + last;
}

}  // namespace

result<void> user_change_methods::declare(method_registry& registry) {
    using self = user_change_methods;
    auto create = user_change_method(
        "create",
        "Create a user with read access",
        {argument("password", text(password_bytes_max)),
         argument("firstName", text()),
         argument("lastName", text()),
         argument("email", text())});
    CHECK_OK(registry.add({create, handler(this, &self::create)}));
    create.takes.push_back(argument("usePamAuth", flag_or_number()));
    CHECK_OK(registry.add({std::move(create), handler(this, &self::create)}));
    CHECK_OK(registry.add(
        {user_change_method("delete", "Delete a user", {}), handler(this, &self::remove)}));
    CHECK_OK(registry.add(
        {user_change_method("enable", "Enable a user", {}), handler(this, &self::enable)}));
    CHECK_OK(registry.add(
        {user_change_method("disable", "Disable a user", {}), handler(this, &self::disable)}));
    CHECK_OK(registry.add(
        {user_change_method(
             "setDetails", "Update the details of a user", {argument("details", struct_shape())}),
         handler(this, &self::set_details)}));
    const auto role = argument("role", name());
    CHECK_OK(registry.add(
        {user_change_method("addRole", "Add a role to a user in the whole cluster", {role}),
         handler(this, &self::add_role)}));
    CHECK_OK(registry.add(
        {user_change_method("removeRole", "Remove a role from a user everywhere", {role}),
         handler(this, &self::remove_role)}));
    return declare_groups(registry);
}

result<void> user_change_methods::declare_groups(method_registry& registry) {
    using self = user_change_methods;
    const auto groups_method = [](const char* name) {
        auto result = read_method(
            std::string("user.") + name,
            "List the system groups of a user",
            {login()},
            list_of(anything()));
        result.needed = right::people_read;
        result.within = scope::cluster;
        return result;
    };
    const auto groups = labels_parameter("sgNames");
    const auto set_default = argument("setDefault", flag_or_number());
    CHECK_OK(registry.add(
        {groups_method("listAssignedSystemGroups"), handler(this, &self::list_assigned)}));
    CHECK_OK(registry.add(
        {groups_method("listDefaultSystemGroups"), handler(this, &self::list_default)}));
    CHECK_OK(registry.add(
        {user_change_method(
             "addAssignedSystemGroups",
             "Record system groups of a user; rights do not change",
             {groups, set_default}),
         handler(this, &self::add_assigned)}));
    CHECK_OK(registry.add(
        {user_change_method(
             "removeAssignedSystemGroups",
             "Remove recorded system groups of a user",
             {groups, set_default}),
         handler(this, &self::remove_assigned)}));
    CHECK_OK(registry.add(
        {user_change_method(
             "addDefaultSystemGroups",
             "Record default system groups of a user; rights do not change",
             {groups}),
         handler(this, &self::add_default)}));
    return registry.add(
        {user_change_method(
             "removeDefaultSystemGroups",
             "Remove recorded default system groups of a user",
             {groups}),
         handler(this, &self::remove_default)});
}

async<method_response> user_change_methods::create(call call) {
    const bool pam = call.operation().takes.size() > 5 && read_flag(call, "usePamAuth");
    people::user_service::new_user new_user{.name = call.text("login")};
    call.set_subject(new_user.name);
    new_user.full_name = full_name(call.text("firstName"), call.text("lastName"));
    new_user.email = call.text("email");
    new_user.grants = {{.role = default_role, .zone = ""}};
    new_user.pam = pam;
    if (!pam) new_user.password = call.text("password");
    new_user.must_change = false;  // clients of this API cannot change it at login
    auto work = user_service(call).add(actor_of(call), std::move(new_user));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> user_change_methods::remove(call call) {
    CO_TRY(const auto user, find(call));
    auto work = user_service(call).remove(actor_of(call), user.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    auto removal = change_user_preferences(
        deps_.configuration.records,
        user.name,
        call.caller().user,
        [](user_preferences_record& preferences) { preferences = {}; });
    call.set_partly_done();
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(removal)));
    co_return method_response{1};
}

async<method_response> user_change_methods::enable(call call) {
    CO_TRY(const auto user, find(call));
    auto work = user_service(call).enable(actor_of(call), user.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> user_change_methods::disable(call call) {
    CO_TRY(const auto user, find(call));
    auto work = user_service(call).disable(actor_of(call), user.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> user_change_methods::set_details(call call) {
    CO_TRY(const auto user, find(call));
    struct_reader reader(call, "details");
    auto first = reader.text("first_names");
    if (!first) first = reader.text("first_name");
    const auto last = reader.text("last_name");
    const auto email = reader.text("email");
    const auto prefix = reader.text("prefix");
    auto password = reader.text("password").value_or("");
    CO_CHECK_OK(reader.finish());
    CO_CHECK_OK(access::check_account_text("`prefix`", prefix.value_or("")));
    people::user_service::changes changes{.email = email};
    if (first || last) {
        const auto blank = user.full_name.rfind(' ');
        const bool has_first = blank != std::string::npos;
        const auto old_first = has_first ? user.full_name.substr(0, blank) : std::string();
        const auto old_last = has_first ? user.full_name.substr(blank + 1) : user.full_name;
        changes.full_name = full_name(first.value_or(old_first), last.value_or(old_last));
    }
    // Checks first whether the caller may change this user at all.
    auto work = user_service(call).change(actor_of(call), user.name, std::move(changes));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_partly_done();
    if (!password.empty()) {
        auto password_update = user_service(call).set_password(
            actor_of(call), user.name, {.password = std::move(password), .must_change = false});
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(password_update)));
    }
    if (prefix) {
        auto prefix_update = change_user_preferences(
            deps_.configuration.records,
            user.name,
            call.caller().user,
            [wanted_prefix = *prefix](user_preferences_record& preferences) {
                preferences.prefix = wanted_prefix;
            });
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(prefix_update)));
    }
    co_return method_response{1};
}

async<method_response> user_change_methods::change_role(call call, change action) {
    CO_TRY(const auto user, find(call));
    const auto& role = call.text("role");
    call.set_subject(user.name + " " + role);
    people::user_service::changes changes;
    if (action == change::remove) {
        changes.removed_role = role;
    } else {
        changes.added_grants.push_back({.role = role, .zone = ""});
    }
    auto work = user_service(call).change(actor_of(call), user.name, std::move(changes));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> user_change_methods::add_role(call call) {
    return change_role(std::move(call), change::add);
}

async<method_response> user_change_methods::remove_role(call call) {
    return change_role(std::move(call), change::remove);
}

async<method_response> user_change_methods::list_groups(
    call call, std::vector<std::string> user_preferences_record::* member) const {
    CO_TRY(const auto user, find(call));
    const auto preferences = find_user_preferences(deps_.configuration.records, user.name);
    const auto groups = deps_.fleet.deps().groups.current();
    std::vector<std::string> names;
    for (const auto& name : preferences.*member)
        if (groups->contains(name)) names.push_back(name);
    auto allocation = deps_.numbers.number_all(std::string(compatibility::numbered::group), names);
    CO_TRY(const auto numbers, co_await within(deps_.clock, engine_timeout, std::move(allocation)));
    value::list list;
    for (std::size_t index = 0; index < names.size(); ++index) {
        const auto& group = groups->find(names[index])->second;
        CO_TRY(const auto members, deps_.fleet.find_group_members(call, group.name));
        list.push_back(value::record{
            {"id", numbers[index].number},
            {"name", group.name},
            {"description", group.description},
            {"system_count", static_cast<std::int64_t>(members.size())},
            {"org_id", 1}});
    }
    co_return method_response{std::move(list)};
}

// An empty change checks whether the caller may change the user.
async<method_response> user_change_methods::change_groups(
    call call, std::vector<std::string> user_preferences_record::* member, change action) {
    CO_TRY(const auto user, find(call));
    const auto names = read_labels(call, "sgNames");
    const auto all_groups = deps_.fleet.deps().groups.current();
    for (const auto& name : names) {
        if (!all_groups->contains(name) && action == change::add)
            co_return fail(errc::not_found, fmt::format("system group \"{}\" not found", name));
    }
    auto check = user_service(call).change(actor_of(call), user.name, {});
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(check)));
    auto work = change_user_preferences(
        deps_.configuration.records,
        user.name,
        call.caller().user,
        [names, member, action](user_preferences_record& preferences) {
            auto& groups = preferences.*member;
            groups = action == change::add ? add_words(std::move(groups), names)
                                           : remove_words(std::move(groups), names);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> user_change_methods::list_assigned(call call) {
    return list_groups(std::move(call), &user_preferences_record::assigned_groups);
}

async<method_response> user_change_methods::list_default(call call) {
    return list_groups(std::move(call), &user_preferences_record::default_groups);
}

async<method_response> user_change_methods::add_assigned(call call) {
    if (read_flag(call, "setDefault")) {
        CO_CHECK_OK(
            co_await change_groups(call, &user_preferences_record::default_groups, change::add));
    }
    co_return co_await change_groups(
        std::move(call), &user_preferences_record::assigned_groups, change::add);
}

async<method_response> user_change_methods::remove_assigned(call call) {
    if (read_flag(call, "setDefault")) {
        CO_CHECK_OK(
            co_await change_groups(call, &user_preferences_record::default_groups, change::remove));
    }
    co_return co_await change_groups(
        std::move(call), &user_preferences_record::assigned_groups, change::remove);
}

async<method_response> user_change_methods::add_default(call call) {
    return change_groups(std::move(call), &user_preferences_record::default_groups, change::add);
}

async<method_response> user_change_methods::remove_default(call call) {
    return change_groups(std::move(call), &user_preferences_record::default_groups, change::remove);
}

}  // namespace muster::xmlrpc_api

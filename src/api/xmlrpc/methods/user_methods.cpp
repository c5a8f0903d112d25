#include "api/xmlrpc/methods/user_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/user_preferences_record.h"
#include "base/iso_time.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr method_defaults methods{
    .prefix = "user.", .read_right = right::people_read, .read_scope = scope::cluster};

shape user_shape() {
    return record_of(
        {required("id", integer(1)),
         required("login", text()),
         required("login_uc", text()),
         required("enabled", flag())});
}

shape person_details_shape() {
    return record_of(
        {required("first_names", text()),
         required("first_name", text()),
         required("last_name", text()),
         required("email", text()),
         required("org_id", integer(1)),
         required("org_name", text()),
         required("prefix", text()),
         optional("last_login_date", text()),
         optional("created_date", text()),
         required("enabled", flag()),
         required("use_pam", flag()),
         required("read_only", flag()),
         required("errata_notification", flag())});
}

std::string upper(std::string text) {
    for (auto& letter : text)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

value time_value(wall_time time) {
    return time == wall_time() ? value() : value(iso_time(time));
}

wall_time last_login_of(const people::people_services& people, const std::string& user) {
    wall_time last;
    for (const auto& session : people.sessions.list(user))
        last = std::max(last, session.record.began);
    return last;
}

result<people::user_record> find(const call& call) {
    const auto& login = call.text("login");
    const auto snapshot = call.context().people.cache.read();
    const auto it = snapshot->users->find(login);
    if (it == snapshot->users->end())
        return fail(errc::not_found, fmt::format("user \"{}\" not found", login));
    return it->second.record;
}

}  // namespace

result<void> user_methods::declare(method_registry& registry) {
    CHECK_OK(registry.add(
        {methods.read_method("listUsers", "List users", {}, list_of(user_shape())),
         handler(this, &user_methods::list)}));
    auto details = methods.read_method("getDetails", "Get a user", {}, person_details_shape());
    details.takes = {argument("login", name())};
    CHECK_OK(registry.add({std::move(details), handler(this, &user_methods::get_details)}));
    auto roles = methods.read_method("listRoles", "List the roles of a user", {}, list_of(text()));
    roles.takes = {argument("login", name())};
    CHECK_OK(registry.add({std::move(roles), handler(this, &user_methods::list_roles)}));
    auto assignable = methods.read_method("listAssignableRoles", "List roles", {}, list_of(text()));
    assignable.needed = right::self;
    return registry.add(
        {std::move(assignable), handler(this, &user_methods::list_assignable_roles)});
}

async<method_response> user_methods::list(call call) {
    const auto snapshot = call.context().people.cache.read();
    std::vector<std::string> names;
    for (const auto& [name, user] : *snapshot->users) names.push_back(name);
    auto lookup = deps_.numbers.number_all(std::string(compatibility::numbered::user), names);
    CO_TRY(
        const auto numbers, co_await within(deps_.clock, api::engine_timeout, std::move(lookup)));
    value::list list;
    for (std::size_t index = 0; index < names.size(); ++index) {
        const auto& name = names[index];
        list.push_back(value::record{
            {"id", numbers[index].number},
            {"login", name},
            {"login_uc", upper(name)},
            {"enabled", !snapshot->users->find(name)->second.record.disabled}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> user_methods::get_details(call call) {
    CO_TRY(const auto user, find(call));
    const auto blank = user.full_name.rfind(' ');
    const auto first = blank == std::string::npos ? "" : user.full_name.substr(0, blank);
    const auto last =
        blank == std::string::npos ? user.full_name : user.full_name.substr(blank + 1);
    std::set<std::string> zones;
    for (const auto& grant : user.grants) zones.insert(grant.zone);
    CO_TRY(const auto home, co_await orgs_.home_of(std::move(zones)));
    co_return method_response{value::record{
        {"first_names", first},
        {"first_name", first},
        {"last_name", last},
        {"email", user.email},
        {"org_id", home.number},
        {"org_name", home.name},
        {"prefix", find_user_preferences(deps_.records, user.name).prefix},
        {"last_login_date", time_value(last_login_of(call.context().people, user.name))},
        {"created_date", time_value(user.made)},
        {"enabled", !user.disabled},
        {"use_pam", user.pam},
        {"read_only", user.kind == people::user_kind::service},
        {"errata_notification", false}}};
}

async<method_response> user_methods::list_roles(call call) {
    CO_TRY(const auto user, find(call));
    std::set<std::string> names;
    for (const auto& grant : user.grants) names.insert(grant.role);
    value::list list;
    for (const auto& name : names) list.emplace_back(name);
    co_return method_response{std::move(list)};
}

async<method_response> user_methods::list_assignable_roles(call call) {
    const auto snapshot = call.context().people.cache.read();
    value::list list;
    for (const auto& [name, rights] : *snapshot->role_rights) list.emplace_back(name);
    co_return method_response{std::move(list)};
}

}  // namespace muster::xmlrpc_api

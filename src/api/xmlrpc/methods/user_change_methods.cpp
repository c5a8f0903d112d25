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
constexpr const char* first_role = "viewer";  // of whoever is made here

parameter login() {
    return argument("login", name());
}

operation changing_user(std::string name, std::string summary, std::vector<parameter> takes) {
    takes.insert(takes.begin(), login());
    auto result = changing(
        "user." + std::move(name), std::move(summary), std::move(takes), right::people_change);
    result.within = scope::filtered;  // whom somebody may change is judged with the user's grants
    return result;
}

people::user_service& users_of(const call& call) {
    return call.context().people.users;
}

result<people::user_record> find(const call& call) {
    const auto& user = call.text("login");
    call.set_subject(user);
    const auto existing = call.context().people.known.read();
    const auto it = existing->users->find(user);
    if (it == existing->users->end())
        return fail(errc::not_found, fmt::format("There is no user {}", user));
    return it->second.record;
}

std::string full_name(const std::string& first, const std::string& last) {
    return first.empty() || last.empty() ? first + last : first + " " + last;
}

}  // namespace

result<void> user_change_methods::declare(method_registry& to) {
    using self = user_change_methods;
    auto create = changing_user(
        "create",
        "Makes a user, who may look at everything",
        {argument("password", text(password_bytes_max)),
         argument("firstName", text()),
         argument("lastName", text()),
         argument("email", text())});
    CHECK_OK(to.add({create, done_by(this, &self::create)}));
    create.takes.push_back(argument("usePamAuth", flag_or_number()));
    CHECK_OK(to.add({std::move(create), done_by(this, &self::create)}));
    CHECK_OK(to.add({changing_user("delete", "Removes a user", {}), done_by(this, &self::remove)}));
    CHECK_OK(to.add(
        {changing_user("enable", "Lets a user in again", {}), done_by(this, &self::enable)}));
    CHECK_OK(to.add(
        {changing_user("disable", "Lets a user in no more", {}), done_by(this, &self::disable)}));
    CHECK_OK(to.add(
        {changing_user(
             "setDetails", "Changes what is given of a user", {argument("details", some_struct())}),
         done_by(this, &self::set_details)}));
    const auto role = argument("role", name());
    CHECK_OK(to.add(
        {changing_user("addRole", "Gives a role in the whole cluster", {role}),
         done_by(this, &self::add_role)}));
    CHECK_OK(to.add(
        {changing_user("removeRole", "Takes a role away everywhere", {role}),
         done_by(this, &self::remove_role)}));
    return declare_groups(to);
}

result<void> user_change_methods::declare_groups(method_registry& to) {
    using self = user_change_methods;
    const auto reading = [](const char* name) {
        auto result =
            asking(std::string("user.") + name, "Groups of a user", {login()}, list_of(anything()));
        result.needed = right::people_read;
        result.within = scope::cluster;
        return result;
    };
    const auto groups = labels("sgNames");
    const auto default_too = argument("setDefault", flag_or_number());
    CHECK_OK(to.add({reading("listAssignedSystemGroups"), done_by(this, &self::list_assigned)}));
    CHECK_OK(to.add({reading("listDefaultSystemGroups"), done_by(this, &self::list_default)}));
    CHECK_OK(to.add(
        {changing_user("addAssignedSystemGroups", "Notes groups", {groups, default_too}),
         done_by(this, &self::add_assigned)}));
    CHECK_OK(to.add(
        {changing_user("removeAssignedSystemGroups", "Drops groups", {groups, default_too}),
         done_by(this, &self::remove_assigned)}));
    CHECK_OK(to.add(
        {changing_user("addDefaultSystemGroups", "Notes default groups", {groups}),
         done_by(this, &self::add_default)}));
    return to.add(
        {changing_user("removeDefaultSystemGroups", "Drops default groups", {groups}),
         done_by(this, &self::remove_default)});
}

async<answer> user_change_methods::create(call call) {
    const bool pam = call.operation().takes.size() > 5 && flag_in(call, "usePamAuth");
    people::user_service::new_user new_user{.name = call.text("login")};
    call.set_subject(new_user.name);
    new_user.full_name = full_name(call.text("firstName"), call.text("lastName"));
    new_user.email = call.text("email");
    new_user.grants = {{.role = first_role, .zone = ""}};
    new_user.pam = pam;
    if (!pam) new_user.password = call.text("password");
    new_user.must_change = false;  // clients of this API have no way to choose another one
    auto work = users_of(call).add(actor_of(call), std::move(new_user));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::remove(call call) {
    CO_TRY(const auto user, find(call));
    auto work = users_of(call).remove(actor_of(call), user.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    auto forgetting = change_person(
        deps_.configuration.records,
        user.name,
        call.who().user,
        [](user_preferences_record& user_preferences) { user_preferences = {}; });
    call.set_partly_done();
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(forgetting)));
    co_return answer{1};
}

async<answer> user_change_methods::enable(call call) {
    CO_TRY(const auto user, find(call));
    auto work = users_of(call).enable(actor_of(call), user.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::disable(call call) {
    CO_TRY(const auto user, find(call));
    auto work = users_of(call).disable(actor_of(call), user.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::set_details(call call) {
    CO_TRY(const auto user, find(call));
    struct_reader struct_reader(call, "details");
    auto first = struct_reader.text("first_names");
    if (!first) first = struct_reader.text("first_name");
    const auto last = struct_reader.text("last_name");
    const auto email = struct_reader.text("email");
    const auto prefix = struct_reader.text("prefix");
    auto password = struct_reader.text("password").value_or("");
    CO_CHECK_OK(struct_reader.finish());
    CO_CHECK_OK(access::check_account_text("`prefix`", prefix.value_or("")));
    people::user_service::changes changes{.email = email};
    if (first || last) {
        const auto blank = user.full_name.rfind(' ');
        const bool two = blank != std::string::npos;
        const auto before = two ? user.full_name.substr(0, blank) : std::string();
        const auto behind = two ? user.full_name.substr(blank + 1) : user.full_name;
        changes.full_name = full_name(first.value_or(before), last.value_or(behind));
    }
    // Judges first whether the caller may change this user at all.
    auto work = users_of(call).change(actor_of(call), user.name, std::move(changes));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_partly_done();
    if (!password.empty()) {
        auto setting = users_of(call).set_password(
            actor_of(call), user.name, {.next = std::move(password), .must_change = false});
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(setting)));
    }
    if (prefix) {
        auto noting = change_person(
            deps_.configuration.records,
            user.name,
            call.who().user,
            [wanted_prefix = *prefix](user_preferences_record& user_preferences) {
                user_preferences.prefix = wanted_prefix;
            });
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(noting)));
    }
    co_return answer{1};
}

async<answer> user_change_methods::change_role(call call, change how) {
    CO_TRY(const auto user, find(call));
    const auto& role = call.text("role");
    call.set_subject(user.name + " " + role);
    people::user_service::changes changes;
    if (how == change::remove) {
        changes.role_taken = role;
    } else {
        changes.given.push_back({.role = role, .zone = ""});
    }
    auto work = users_of(call).change(actor_of(call), user.name, std::move(changes));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::add_role(call call) {
    return change_role(std::move(call), change::add);
}

async<answer> user_change_methods::remove_role(call call) {
    return change_role(std::move(call), change::remove);
}

async<answer> user_change_methods::list_groups(
    call call, std::vector<std::string> user_preferences_record::* which) const {
    CO_TRY(const auto user, find(call));
    const auto person = person_named(deps_.configuration.records, user.name);
    const auto groups = deps_.view.around().groups.current();
    std::vector<std::string> names;
    for (const auto& each : person.*which)
        if (groups->contains(each)) names.push_back(each);
    auto numbering = deps_.numbers.number_all(std::string(compatibility::numbered::group), names);
    CO_TRY(const auto numbers, co_await within(deps_.clock, engine_timeout, std::move(numbering)));
    value::list list;
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto& group = groups->find(names[at])->second;
        CO_TRY(const auto members, deps_.view.in_group(call, group.name));
        list.push_back(value::record{
            {"id", numbers[at].number},
            {"name", group.name},
            {"description", group.description},
            {"system_count", static_cast<std::int64_t>(members.size())},
            {"org_id", 1}});
    }
    co_return answer{std::move(list)};
}

// Who may change the user is judged by a change that changes nothing.
async<answer> user_change_methods::change_groups(
    call call, std::vector<std::string> user_preferences_record::* which, change how) {
    CO_TRY(const auto user, find(call));
    const auto some = labels_in(call, "sgNames");
    const auto existing = deps_.view.around().groups.current();
    for (const auto& each : some) {
        if (!existing->contains(each) && how == change::add)
            co_return fail(errc::not_found, fmt::format("There is no system group {}", each));
    }
    auto judging = users_of(call).change(actor_of(call), user.name, {});
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(judging)));
    auto work = change_person(
        deps_.configuration.records,
        user.name,
        call.who().user,
        [some, which, how](user_preferences_record& user_preferences) {
            auto& groups = user_preferences.*which;
            groups = how == change::add ? with_words(std::move(groups), some)
                                        : without_words(std::move(groups), some);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::list_assigned(call call) {
    return list_groups(std::move(call), &user_preferences_record::assigned_groups);
}

async<answer> user_change_methods::list_default(call call) {
    return list_groups(std::move(call), &user_preferences_record::default_groups);
}

async<answer> user_change_methods::add_assigned(call call) {
    if (flag_in(call, "setDefault")) {
        CO_CHECK_OK(
            co_await change_groups(call, &user_preferences_record::default_groups, change::add));
    }
    co_return co_await change_groups(
        std::move(call), &user_preferences_record::assigned_groups, change::add);
}

async<answer> user_change_methods::remove_assigned(call call) {
    if (flag_in(call, "setDefault")) {
        CO_CHECK_OK(
            co_await change_groups(call, &user_preferences_record::default_groups, change::remove));
    }
    co_return co_await change_groups(
        std::move(call), &user_preferences_record::assigned_groups, change::remove);
}

async<answer> user_change_methods::add_default(call call) {
    return change_groups(std::move(call), &user_preferences_record::default_groups, change::add);
}

async<answer> user_change_methods::remove_default(call call) {
    return change_groups(std::move(call), &user_preferences_record::default_groups, change::remove);
}

}  // namespace muster::xmlrpc_api

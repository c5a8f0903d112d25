#include "api/xmlrpc/methods/user_change_methods.h"

#include "core/access/account_rules.h"
#include "ports/deadline.h"
#include "api/xmlrpc/methods/activation_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_patience;

constexpr std::int64_t password_bytes_max = 1024;
constexpr const char* first_role = "viewer";  // of whoever is made here

parameter login() {
    return argument("login", name());
}

operation changing_user(std::string name, std::string summary, std::vector<parameter> takes) {
    takes.insert(takes.begin(), login());
    auto made = changing(
        "user." + std::move(name), std::move(summary), std::move(takes), right::people_change);
    made.within = scope::filtered;  // whom somebody may change is judged with the user's grants
    return made;
}

people::user_book& users_of(const call& asked) {
    return asked.desk().people.users;
}

result<people::user_record> find(const call& asked) {
    const auto& user = asked.text("login");
    asked.set_subject(user);
    const auto known = asked.desk().people.known.read();
    const auto found = known->users->find(user);
    if (found == known->users->end())
        return fail(errc::not_found, fmt::format("There is no user {}", user));
    return found->second.record;
}

std::string full_name(const std::string& first, const std::string& last) {
    return first.empty() || last.empty() ? first + last : first + " " + last;
}

}  // namespace

result<void> user_change_methods::declare(method_book& to) {
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

result<void> user_change_methods::declare_groups(method_book& to) {
    using self = user_change_methods;
    const auto reading = [](const char* name) {
        auto made =
            asking(std::string("user.") + name, "Groups of a user", {login()}, list_of(anything()));
        made.needed = right::people_read;
        made.within = scope::cluster;
        return made;
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

async<answer> user_change_methods::create(call asked) {
    const bool pam = asked.operation().takes.size() > 5 && flag_in(asked, "usePamAuth");
    people::user_book::new_user wanted{.name = asked.text("login")};
    asked.set_subject(wanted.name);
    wanted.full_name = full_name(asked.text("firstName"), asked.text("lastName"));
    wanted.email = asked.text("email");
    wanted.grants = {{.role = first_role, .zone = ""}};
    wanted.pam = pam;
    if (!pam) wanted.password = asked.text("password");
    wanted.must_change = false;  // clients of this API have no way to choose another one
    auto work = users_of(asked).add(asked.who(), std::move(wanted));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::remove(call asked) {
    CO_TRY(const auto user, find(asked));
    auto work = users_of(asked).remove(asked.who(), user.name);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    auto forgetting = change_person(
        around_.kept.records, user.name, asked.who().user, [](person_record& one) { one = {}; });
    asked.set_partly_done();
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(forgetting)));
    co_return answer{1};
}

async<answer> user_change_methods::enable(call asked) {
    CO_TRY(const auto user, find(asked));
    auto work = users_of(asked).enable(asked.who(), user.name);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::disable(call asked) {
    CO_TRY(const auto user, find(asked));
    auto work = users_of(asked).disable(asked.who(), user.name);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::set_details(call asked) {
    CO_TRY(const auto user, find(asked));
    struct_reader given(asked, "details");
    auto first = given.text("first_names");
    if (!first) first = given.text("first_name");
    const auto last = given.text("last_name");
    const auto email = given.text("email");
    const auto prefix = given.text("prefix");
    auto password = given.text("password");
    CO_CHECK_OK(given.finish());
    CO_CHECK_OK(access::check_account_text("`prefix`", prefix.value_or("")));
    people::user_book::changes wanted{.email = email};
    if (first || last) {
        const auto blank = user.full_name.rfind(' ');
        const bool two = blank != std::string::npos;
        const auto before = two ? user.full_name.substr(0, blank) : std::string();
        const auto behind = two ? user.full_name.substr(blank + 1) : user.full_name;
        wanted.full_name = full_name(first.value_or(before), last.value_or(behind));
    }
    // Judges first whether the caller may change this user at all.
    auto work = users_of(asked).change(asked.who(), user.name, std::move(wanted));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    asked.set_partly_done();
    if (password && !password->empty()) {
        auto setting = users_of(asked).set_password(
            asked.who(), user.name, {.next = *std::move(password), .must_change = false});
        CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(setting)));
    }
    if (prefix) {
        auto noting = change_person(
            around_.kept.records,
            user.name,
            asked.who().user,
            [wanted_prefix = *prefix](person_record& one) { one.prefix = wanted_prefix; });
        CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(noting)));
    }
    co_return answer{1};
}

async<answer> user_change_methods::change_role(call asked, change how) {
    CO_TRY(const auto user, find(asked));
    const auto& role = asked.text("role");
    asked.set_subject(user.name + " " + role);
    people::user_book::changes wanted;
    if (how == change::remove) {
        wanted.role_taken = role;
    } else {
        wanted.given.push_back({.role = role, .zone = ""});
    }
    auto work = users_of(asked).change(asked.who(), user.name, std::move(wanted));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::add_role(call asked) {
    return change_role(std::move(asked), change::add);
}

async<answer> user_change_methods::remove_role(call asked) {
    return change_role(std::move(asked), change::remove);
}

async<answer> user_change_methods::list_groups(
    call asked, std::vector<std::string> person_record::* which) const {
    CO_TRY(const auto user, find(asked));
    const auto person = person_named(around_.kept.records, user.name);
    const auto known = around_.view.around().groups.current();
    std::vector<std::string> names;
    for (const auto& each : person.*which)
        if (known->contains(each)) names.push_back(each);
    auto numbering = around_.numbers.number_all(std::string(cluster::numbered::group), names);
    CO_TRY(
        const auto numbers, co_await within(around_.time, engine_patience, std::move(numbering)));
    value::list made;
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto& group = known->find(names[at])->second;
        CO_TRY(const auto members, around_.view.in_group(asked, group.name));
        made.push_back(value::record{
            {"id", numbers[at].number},
            {"name", group.name},
            {"description", group.description},
            {"system_count", static_cast<std::int64_t>(members.size())},
            {"org_id", 1}});
    }
    co_return answer{std::move(made)};
}

// Who may change the user is judged by a change that changes nothing.
async<answer> user_change_methods::change_groups(
    call asked, std::vector<std::string> person_record::* which, change how) {
    CO_TRY(const auto user, find(asked));
    const auto some = labels_in(asked, "sgNames");
    const auto known = around_.view.around().groups.current();
    for (const auto& each : some) {
        if (!known->contains(each) && how == change::add)
            co_return fail(errc::not_found, fmt::format("There is no system group {}", each));
    }
    auto judging = users_of(asked).change(asked.who(), user.name, {});
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(judging)));
    auto work = change_person(
        around_.kept.records, user.name, asked.who().user, [some, which, how](person_record& one) {
            auto& groups = one.*which;
            groups = how == change::add ? with_words(std::move(groups), some)
                                        : without_words(std::move(groups), some);
        });
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> user_change_methods::list_assigned(call asked) {
    return list_groups(std::move(asked), &person_record::assigned_groups);
}

async<answer> user_change_methods::list_default(call asked) {
    return list_groups(std::move(asked), &person_record::default_groups);
}

async<answer> user_change_methods::add_assigned(call asked) {
    if (flag_in(asked, "setDefault")) {
        CO_CHECK_OK(co_await change_groups(asked, &person_record::default_groups, change::add));
    }
    co_return co_await change_groups(
        std::move(asked), &person_record::assigned_groups, change::add);
}

async<answer> user_change_methods::remove_assigned(call asked) {
    if (flag_in(asked, "setDefault")) {
        CO_CHECK_OK(co_await change_groups(asked, &person_record::default_groups, change::remove));
    }
    co_return co_await change_groups(
        std::move(asked), &person_record::assigned_groups, change::remove);
}

async<answer> user_change_methods::add_default(call asked) {
    return change_groups(std::move(asked), &person_record::default_groups, change::add);
}

async<answer> user_change_methods::remove_default(call asked) {
    return change_groups(std::move(asked), &person_record::default_groups, change::remove);
}

}  // namespace muster::xmlrpc_api

#include "api/rest/people_api.h"

#include "ports/deadline.h"
#include "api/rest/people_json.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr std::int64_t password_bytes_max = 1024;
constexpr std::int64_t token_days_max = std::int64_t{5} * 366;
constexpr const char* users = "/api/v1/users";
constexpr const char* user = "/api/v1/users/{user}";

operation reading(std::string name, std::string summary, std::string path, shape gives) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .path = std::move(path),
        .gives = std::move(gives),
        .needed = right::people_read};
}

operation changing(std::string name, std::string summary, verb method, std::string path) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .method = method,
        .path = std::move(path),
        .gives = record_of({required("done", flag())}),
        .needed = right::people_change,
        .within = scope::filtered};
}

operation user_change(const std::string& verb, std::string summary) {
    auto made = changing("users." + verb, std::move(summary), api::verb::post, user + ("/" + verb));
    made.takes = {in_path("user", name())};
    return made;
}

reply done() {
    return reply{json::object{{"done", true}}};
}

reply page(json::array items) {
    return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

const people::identity& actor(const call& asked) {
    return asked.who();
}

people::people_office& office_of(const call& asked) {
    return asked.desk().people;
}

}  // namespace

result<void> people_api::declare(registry& to) {
    CHECK_OK(declare_users(to));
    CHECK_OK(declare_roles(to));
    CHECK_OK(declare_tokens(to));
    return declare_sessions(to);
}

result<void> people_api::declare_users(registry& to) {
    CHECK_OK(to.add(
        reading("users.list", "The users", users, page_of(user_shape())),
        done_by(this, &people_api::list_users)));
    auto show = reading("users.show", "A user", user, user_shape());
    show.takes = {in_path("user", name())};
    CHECK_OK(to.add(std::move(show), done_by(this, &people_api::show_user)));
    auto add = changing("users.add", "Makes a user", verb::post, users);
    add.takes = {
        in_body("name", name()),
        optional_in_body("full_name", text()),
        optional_in_body("email", text()),
        optional_in_body("grants", grants_shape()),
        optional_in_body("kind", text().with_choices({"person", "service"})),
        optional_in_body("pam", flag()),
        secret_in_body(
            "password", text(password_bytes_max).with_about("one is made up if not given"))};
    add.gives = user_shape();
    add.gives_secret = true;
    add.status = 201;
    CHECK_OK(to.add(std::move(add), done_by(this, &people_api::add_user)));
    auto change =
        changing("users.change", "Changes a user; what is not given stays", verb::patch, user);
    change.takes = {
        in_path("user", name()),
        optional_in_body("full_name", text()),
        optional_in_body("email", text()),
        optional_in_body("grants", grants_shape()),
        optional_in_body("pam", flag()),
        optional_in_body("revision", integer(0).with_about("refused if it was changed since"))};
    change.gives = user_shape();
    CHECK_OK(to.add(std::move(change), done_by(this, &people_api::change_user)));
    auto remove = changing("users.remove", "Removes a user; the trail stays", verb::remove, user);
    remove.takes = {in_path("user", name())};
    CHECK_OK(to.add(std::move(remove), to_user(&people::user_book::remove)));
    CHECK_OK(to.add(
        user_change("disable", "Lets a user in no more, and ends what they have open"),
        to_user(&people::user_book::disable)));
    CHECK_OK(
        to.add(user_change("enable", "Lets a user in again"), to_user(&people::user_book::enable)));
    CHECK_OK(to.add(
        user_change("unlock", "Ends the lock after too many wrong passwords"),
        to_user(&people::user_book::unlock)));
    CHECK_OK(to.add(
        user_change("logout", "Ends all sessions of a user"),
        to_user(&people::user_book::end_sessions)));
    auto reset = user_change("password", "Gives somebody else a password, to be changed at once");
    reset.takes.push_back(secret_in_body("password", text(password_bytes_max)));
    reset.gives_secret = true;
    reset.gives =
        record_of({required("password", text().or_nothing().with_about("one that was made up"))});
    return to.add(std::move(reset), done_by(this, &people_api::reset_password));
}

result<void> people_api::declare_roles(registry& to) {
    const std::string all = "/api/v1/roles";
    CHECK_OK(to.add(
        reading("roles.list", "The roles and what each allows", all, page_of(role_shape())),
        done_by(this, &people_api::list_roles)));
    auto show = reading("roles.show", "A role", all + "/{role}", role_shape());
    show.takes = {in_path("role", name())};
    CHECK_OK(to.add(std::move(show), done_by(this, &people_api::show_role)));
    auto add = changing("roles.add", "Makes a role", verb::post, all);
    add.takes = {
        in_body("name", name()),
        in_body("rights", rights_shape()),
        optional_in_body("about", text())};
    add.gives = role_shape();
    add.status = 201;
    add.within = scope::cluster;
    CHECK_OK(to.add(std::move(add), done_by(this, &people_api::add_role)));
    auto change = changing(
        "roles.change", "Changes a role for all who have it", verb::patch, all + "/{role}");
    change.takes = {
        in_path("role", name()),
        optional_in_body("rights", rights_shape()),
        optional_in_body("about", text())};
    change.gives = role_shape();
    change.within = scope::cluster;
    CHECK_OK(to.add(std::move(change), done_by(this, &people_api::change_role)));
    auto remove = changing(
        "roles.remove",
        "Removes a role; refused while somebody has it",
        verb::remove,
        all + "/{role}");
    remove.takes = {in_path("role", name())};
    remove.within = scope::cluster;
    return to.add(std::move(remove), done_by(this, &people_api::remove_role));
}

// Everybody has tokens of their own: whose are asked for decides who may.
result<void> people_api::declare_tokens(registry& to) {
    const std::string all = "/api/v1/tokens";
    auto list =
        reading("tokens.list", "Tokens: one's own, or a user's", all, page_of(token_shape()));
    list.takes = {in_query("user", name().with_about("one's own if not given; * for all"))};
    list.needed = right::self;
    CHECK_OK(to.add(std::move(list), done_by(this, &people_api::list_tokens)));
    auto make = changing("tokens.make", "Makes a token that lets a program in", verb::post, all);
    make.takes = {
        optional_in_body("user", name().with_about("for oneself if not given")),
        optional_in_body("purpose", text()),
        optional_in_body("grants", grants_shape()),
        optional_in_body("rights", rights_shape()),
        optional_in_body("days", integer(1, token_days_max).with_about("90 if not given"))};
    make.gives = token_shape();
    make.gives_secret = true;
    make.status = 201;
    make.needed = right::self;
    CHECK_OK(to.add(std::move(make), done_by(this, &people_api::make_token)));
    auto revoke = changing("tokens.revoke", "Ends a token at once", verb::remove, all + "/{token}");
    revoke.takes = {in_path("token", name())};
    revoke.needed = right::self;
    return to.add(std::move(revoke), done_by(this, &people_api::revoke_token));
}

result<void> people_api::declare_sessions(registry& to) {
    const std::string all = "/api/v1/sessions";
    auto list =
        reading("sessions.list", "Who is logged in, from where", all, page_of(session_shape()));
    list.takes = {in_query("user", name().with_about("one's own if not given; * for all"))};
    list.needed = right::self;
    CHECK_OK(to.add(std::move(list), done_by(this, &people_api::list_sessions)));
    auto end = changing("sessions.end", "Ends a session at once", verb::remove, all + "/{session}");
    end.takes = {in_path("session", name())};
    end.needed = right::self;
    return to.add(std::move(end), done_by(this, &people_api::end_session));
}

async<reply> people_api::list_users(call asked) {
    const auto known = office_of(asked).known.read();
    json::array items;
    for (const auto& [name, each] : *known->users) items.push_back(user_json(each));
    co_return page(std::move(items));
}

async<reply> people_api::show_user(call asked) {
    const auto known = office_of(asked).known.read();
    const auto found = known->users->find(asked.text("user"));
    if (found == known->users->end())
        co_return fail(errc::not_found, "there is no user " + asked.text("user"));
    co_return reply{user_json(found->second)};
}

async<reply> people_api::add_user(call asked) {
    people::user_book::new_user wanted{.name = asked.text("name")};
    wanted.full_name = asked.optional_text("full_name").value_or("");
    wanted.email = asked.optional_text("email").value_or("");
    wanted.grants = grants_in(asked).value_or(std::vector<access::grant>());
    if (asked.optional_text("kind") == "service") wanted.kind = people::user_kind::service;
    wanted.pam = asked.flag("pam");
    wanted.password = asked.optional_text("password");
    auto work = office_of(asked).users.add(actor(asked), std::move(wanted));
    CO_TRY(const auto added, co_await within(time_, engine_patience, std::move(work)));
    auto shown = user_json(added.user);
    if (!added.one_time_password.empty()) shown["password"] = added.one_time_password;
    co_return reply{std::move(shown)};
}

async<reply> people_api::change_user(call asked) {
    people::user_book::changes wanted{
        .full_name = asked.optional_text("full_name"),
        .email = asked.optional_text("email"),
        .grants = grants_in(asked)};
    if (asked.arguments().find("pam") != nullptr) wanted.pam = asked.flag("pam");
    if (const auto revision = asked.optional_integer("revision"))
        wanted.expected = kv::revision(*revision);
    auto work = office_of(asked).users.change(actor(asked), asked.text("user"), std::move(wanted));
    CO_TRY(const auto changed, co_await within(time_, engine_patience, std::move(work)));
    co_return reply{user_json(changed)};
}

action people_api::to_user(user_deed what) {
    return [this, what](call asked) {
        return do_to_user(std::move(asked), what);
    };
}

async<reply> people_api::do_to_user(call asked, user_deed what) {
    auto work = (office_of(asked).users.*what)(actor(asked), asked.text("user"));
    co_return co_await done_after(std::move(work));
}

async<reply> people_api::done_after(async<void> work) const {
    CO_CHECK_OK(co_await within(time_, engine_patience, std::move(work)));
    co_return done();
}

async<reply> people_api::reset_password(call asked) {
    auto work = office_of(asked).users.set_password(
        actor(asked), asked.text("user"), {.next = asked.optional_text("password")});
    CO_TRY(const auto made_up, co_await within(time_, engine_patience, std::move(work)));
    json::object shown{{"password", nullptr}};
    if (!made_up.empty()) shown["password"] = made_up;
    co_return reply{std::move(shown)};
}

async<reply> people_api::list_roles(call asked) {
    const auto known = office_of(asked).known.read();
    json::array items;
    for (const auto& [name, rights] : access::built_in_roles())
        items.push_back(role_json({.name = name, .rights = rights}, true));
    for (const auto& [name, each] : *known->roles) items.push_back(role_json(each.record, false));
    co_return page(std::move(items));
}

async<reply> people_api::show_role(call asked) {
    const auto& name = asked.text("role");
    const auto& built_in = access::built_in_roles();
    if (const auto found = built_in.find(name); found != built_in.end())
        co_return reply{role_json({.name = name, .rights = found->second}, true)};
    const auto known = office_of(asked).known.read();
    const auto found = known->roles->find(name);
    if (found == known->roles->end()) co_return fail(errc::not_found, "there is no role " + name);
    co_return reply{role_json(found->second.record, false)};
}

async<reply> people_api::add_role(call asked) {
    people::role_record wanted{
        .name = asked.text("name"), .about = asked.optional_text("about").value_or("")};
    CO_TRY(const auto rights, rights_in(asked));
    wanted.rights = rights.value_or(access::rights());
    auto work = office_of(asked).roles.add(actor(asked), std::move(wanted));
    CO_TRY(const auto made, co_await within(time_, engine_patience, std::move(work)));
    co_return reply{role_json(made, false)};
}

async<reply> people_api::change_role(call asked) {
    people::role_book::changes wanted{.about = asked.optional_text("about")};
    CO_TRY(wanted.rights, rights_in(asked));
    auto work = office_of(asked).roles.change(actor(asked), asked.text("role"), std::move(wanted));
    CO_TRY(const auto made, co_await within(time_, engine_patience, std::move(work)));
    co_return reply{role_json(made, false)};
}

async<reply> people_api::remove_role(call asked) {
    co_return co_await done_after(office_of(asked).roles.remove(actor(asked), asked.text("role")));
}

namespace {

// Whose tokens or sessions are asked for; nothing: everybody's.
result<std::optional<std::string>> whose(const call& asked) {
    auto wanted = asked.optional_text("user").value_or(actor(asked).user);
    const bool own = wanted == actor(asked).user;
    if (!own && !actor(asked).may.everywhere(right::people_read))
        return fail(errc::denied, "this needs the right people.read in the whole cluster");
    if (wanted == "*") return std::optional<std::string>();
    return std::optional(std::move(wanted));
}

}  // namespace

async<reply> people_api::list_tokens(call asked) {
    CO_TRY(const auto of, whose(asked));
    json::array items;
    for (const auto& each : office_of(asked).tokens.list(of)) items.push_back(token_json(each));
    co_return page(std::move(items));
}

async<reply> people_api::make_token(call asked) {
    people::token_book::new_token wanted{
        .user = asked.optional_text("user").value_or(actor(asked).user),
        .purpose = asked.optional_text("purpose").value_or(""),
        .grants = grants_in(asked).value_or(std::vector<access::grant>())};
    CO_TRY(wanted.rights, rights_in(asked));
    if (const auto days = asked.optional_integer("days"))
        wanted.lifetime = std::chrono::days(*days);
    asked.set_subject("for " + wanted.user + ": " + wanted.purpose);
    auto work = office_of(asked).tokens.make(actor(asked), std::move(wanted));
    CO_TRY(const auto made, co_await within(time_, engine_patience, std::move(work)));
    auto shown = token_json({.id = made.id, .record = made.record, .good = true});
    shown["secret"] = made.secret;
    co_return reply{std::move(shown)};
}

async<reply> people_api::revoke_token(call asked) {
    co_return co_await done_after(
        office_of(asked).tokens.revoke(actor(asked), asked.text("token")));
}

async<reply> people_api::list_sessions(call asked) {
    CO_TRY(const auto of, whose(asked));
    json::array items;
    for (const auto& each : office_of(asked).sessions.list(of)) items.push_back(session_json(each));
    co_return page(std::move(items));
}

async<reply> people_api::end_session(call asked) {
    co_return co_await done_after(
        office_of(asked).sessions.end(actor(asked), asked.text("session")));
}

}  // namespace muster::api

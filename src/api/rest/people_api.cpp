#include "api/rest/people_api.h"

#include "api/rest/people_json.h"
#include "ports/deadline.h"

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
    auto result =
        changing("users." + verb, std::move(summary), api::verb::post, user + ("/" + verb));
    result.takes = {in_path("user", name())};
    return result;
}

reply done() {
    return reply{json::object{{"done", true}}};
}

reply page(json::array items) {
    return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

const people::identity& actor(const call& call) {
    return call.who();
}

people::people_services& office_of(const call& call) {
    return call.context().people;
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
    CHECK_OK(to.add(std::move(remove), to_user(&people::user_service::remove)));
    CHECK_OK(to.add(
        user_change("disable", "Lets a user in no more, and ends what they have open"),
        to_user(&people::user_service::disable)));
    CHECK_OK(to.add(
        user_change("enable", "Lets a user in again"), to_user(&people::user_service::enable)));
    CHECK_OK(to.add(
        user_change("unlock", "Ends the lock after too many wrong passwords"),
        to_user(&people::user_service::unlock)));
    CHECK_OK(to.add(
        user_change("logout", "Ends all sessions of a user"),
        to_user(&people::user_service::end_sessions)));
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

async<reply> people_api::list_users(call call) {
    const auto existing = office_of(call).known.read();
    json::array items;
    for (const auto& [name, each] : *existing->users) items.push_back(user_json(each));
    co_return page(std::move(items));
}

async<reply> people_api::show_user(call call) {
    const auto existing = office_of(call).known.read();
    const auto it = existing->users->find(call.text("user"));
    if (it == existing->users->end())
        co_return fail(errc::not_found, "there is no user " + call.text("user"));
    co_return reply{user_json(it->second)};
}

async<reply> people_api::add_user(call call) {
    people::user_service::new_user new_user{.name = call.text("name")};
    new_user.full_name = call.optional_text("full_name").value_or("");
    new_user.email = call.optional_text("email").value_or("");
    new_user.grants = grants_in(call).value_or(std::vector<access::grant>());
    if (call.optional_text("kind") == "service") new_user.kind = people::user_kind::service;
    new_user.pam = call.flag("pam");
    new_user.password = call.optional_text("password");
    auto work = office_of(call).users.add(actor(call), std::move(new_user));
    CO_TRY(const auto added, co_await within(clock_, engine_timeout, std::move(work)));
    auto output = user_json(added.user);
    if (!added.one_time_password.empty()) output["password"] = added.one_time_password;
    co_return reply{std::move(output)};
}

async<reply> people_api::change_user(call call) {
    people::user_service::changes changes{
        .full_name = call.optional_text("full_name"),
        .email = call.optional_text("email"),
        .grants = grants_in(call)};
    if (call.arguments().find("pam") != nullptr) changes.pam = call.flag("pam");
    if (const auto revision = call.optional_integer("revision"))
        changes.expected = kv::revision(*revision);
    auto work = office_of(call).users.change(actor(call), call.text("user"), std::move(changes));
    CO_TRY(const auto changed, co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{user_json(changed)};
}

action people_api::to_user(user_deed user_deed) {
    return [this, user_deed](call call) {
        return do_to_user(std::move(call), user_deed);
    };
}

async<reply> people_api::do_to_user(call call, user_deed user_deed) {
    auto work = (office_of(call).users.*user_deed)(actor(call), call.text("user"));
    co_return co_await done_after(std::move(work));
}

async<reply> people_api::done_after(async<void> work) const {
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return done();
}

async<reply> people_api::reset_password(call call) {
    auto work = office_of(call).users.set_password(
        actor(call), call.text("user"), {.next = call.optional_text("password")});
    CO_TRY(const auto made_up, co_await within(clock_, engine_timeout, std::move(work)));
    json::object output{{"password", nullptr}};
    if (!made_up.empty()) output["password"] = made_up;
    co_return reply{std::move(output)};
}

async<reply> people_api::list_roles(call call) {
    const auto existing = office_of(call).known.read();
    json::array items;
    for (const auto& [name, rights] : access::built_in_roles())
        items.push_back(role_json({.name = name, .rights = rights}, true));
    for (const auto& [name, each] : *existing->roles)
        items.push_back(role_json(each.record, false));
    co_return page(std::move(items));
}

async<reply> people_api::show_role(call call) {
    const auto& name = call.text("role");
    const auto& built_in = access::built_in_roles();
    if (const auto it = built_in.find(name); it != built_in.end())
        co_return reply{role_json({.name = name, .rights = it->second}, true)};
    const auto existing = office_of(call).known.read();
    const auto it = existing->roles->find(name);
    if (it == existing->roles->end()) co_return fail(errc::not_found, "there is no role " + name);
    co_return reply{role_json(it->second.record, false)};
}

async<reply> people_api::add_role(call call) {
    people::role_record role{
        .name = call.text("name"), .about = call.optional_text("about").value_or("")};
    CO_TRY(const auto rights, rights_in(call));
    role.rights = rights.value_or(access::rights());
    auto work = office_of(call).roles.add(actor(call), std::move(role));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{role_json(result, false)};
}

async<reply> people_api::change_role(call call) {
    people::role_service::changes changes{.about = call.optional_text("about")};
    CO_TRY(changes.rights, rights_in(call));
    auto work = office_of(call).roles.change(actor(call), call.text("role"), std::move(changes));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{role_json(result, false)};
}

async<reply> people_api::remove_role(call call) {
    co_return co_await done_after(office_of(call).roles.remove(actor(call), call.text("role")));
}

namespace {

// Whose tokens or sessions are asked for; nothing: everybody's.
result<std::optional<std::string>> whose(const call& call) {
    auto desired = call.optional_text("user").value_or(actor(call).user);
    const bool own = desired == actor(call).user;
    if (!own && !actor(call).may.everywhere(right::people_read))
        return fail(errc::denied, "this needs the right people.read in the whole cluster");
    if (desired == "*") return std::optional<std::string>();
    return std::optional(std::move(desired));
}

}  // namespace

async<reply> people_api::list_tokens(call call) {
    CO_TRY(const auto of, whose(call));
    json::array items;
    for (const auto& each : office_of(call).tokens.list(of)) items.push_back(token_json(each));
    co_return page(std::move(items));
}

async<reply> people_api::make_token(call call) {
    people::token_service::token_request token_request{
        .user = call.optional_text("user").value_or(actor(call).user),
        .purpose = call.optional_text("purpose").value_or(""),
        .grants = grants_in(call).value_or(std::vector<access::grant>())};
    CO_TRY(token_request.rights, rights_in(call));
    if (const auto days = call.optional_integer("days"))
        token_request.lifetime = std::chrono::days(*days);
    call.set_subject("for " + token_request.user + ": " + token_request.purpose);
    auto work = office_of(call).tokens.make(actor(call), std::move(token_request));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    auto output = token_json({.id = result.id, .record = result.record, .good = true});
    output["secret"] = result.secret;
    co_return reply{std::move(output)};
}

async<reply> people_api::revoke_token(call call) {
    co_return co_await done_after(office_of(call).tokens.revoke(actor(call), call.text("token")));
}

async<reply> people_api::list_sessions(call call) {
    CO_TRY(const auto of, whose(call));
    json::array items;
    for (const auto& each : office_of(call).sessions.list(of)) items.push_back(session_json(each));
    co_return page(std::move(items));
}

async<reply> people_api::end_session(call call) {
    co_return co_await done_after(office_of(call).sessions.end(actor(call), call.text("session")));
}

}  // namespace muster::api

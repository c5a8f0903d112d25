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
constexpr const char* users_path = "/api/v1/users";
constexpr const char* user_path = "/api/v1/users/{user}";

operation read_operation(std::string name, std::string summary, std::string path, shape response) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .path = std::move(path),
        .gives = std::move(response),
        .needed = right::people_read};
}

operation change_operation(std::string name, std::string summary, verb method, std::string path) {
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
    auto result = change_operation(
        "users." + verb, std::move(summary), api::verb::post, user_path + ("/" + verb));
    result.takes = {in_path("user", name())};
    return result;
}

reply done_reply() {
    return reply{json::object{{"done", true}}};
}

reply page(json::array items) {
    return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

const people::identity& actor(const call& call) {
    return call.caller();
}

people::people_services& services_of(const call& call) {
    return call.context().people;
}

}  // namespace

result<void> people_api::declare(registry& operations) {
    CHECK_OK(declare_users(operations));
    CHECK_OK(declare_roles(operations));
    CHECK_OK(declare_tokens(operations));
    return declare_sessions(operations);
}

result<void> people_api::declare_users(registry& operations) {
    CHECK_OK(operations.add(
        read_operation("users.list", "List users", users_path, page_of(user_shape())),
        handler(this, &people_api::list_users)));
    auto show = read_operation("users.show", "Get a user", user_path, user_shape());
    show.takes = {in_path("user", name())};
    CHECK_OK(operations.add(std::move(show), handler(this, &people_api::show_user)));
    auto add = change_operation("users.create", "Create a user", verb::post, users_path);
    add.takes = {
        in_body("name", name()),
        optional_in_body("full_name", text()),
        optional_in_body("email", text()),
        optional_in_body("grants", grants_shape()),
        optional_in_body("kind", text().with_choices({"person", "service"})),
        optional_in_body("pam", flag()),
        secret_in_body(
            "password",
            text(password_bytes_max).with_about("initial password (default: generated)"))};
    add.gives = user_shape();
    add.gives_secret = true;
    add.status = 201;
    CHECK_OK(operations.add(std::move(add), handler(this, &people_api::add_user)));
    auto change = change_operation("users.change", "Update a user", verb::patch, user_path);
    change.takes = {
        in_path("user", name()),
        optional_in_body("full_name", text()),
        optional_in_body("email", text()),
        optional_in_body("grants", grants_shape()),
        optional_in_body("pam", flag()),
        optional_in_body(
            "revision",
            integer(0).with_about(
                "expected revision; the update fails if the user has another one"))};
    change.gives = user_shape();
    CHECK_OK(operations.add(std::move(change), handler(this, &people_api::change_user)));
    auto remove = change_operation(
        "users.remove", "Delete a user and keep the audit entries", verb::remove, user_path);
    remove.takes = {in_path("user", name())};
    CHECK_OK(operations.add(std::move(remove), user_handler(&people::user_service::remove)));
    CHECK_OK(operations.add(
        user_change("disable", "Disable a user and end all sessions and tokens"),
        user_handler(&people::user_service::disable)));
    CHECK_OK(operations.add(
        user_change("enable", "Enable a disabled user"),
        user_handler(&people::user_service::enable)));
    CHECK_OK(operations.add(
        user_change("unlock", "Unlock a user after too many wrong passwords"),
        user_handler(&people::user_service::unlock)));
    CHECK_OK(operations.add(
        user_change("logout", "End all sessions of a user"),
        user_handler(&people::user_service::end_sessions)));
    auto reset = user_change("password", "Reset the password of a user to a temporary one");
    reset.takes.push_back(secret_in_body("password", text(password_bytes_max)));
    reset.gives_secret = true;
    reset.gives = record_of({required(
        "password",
        text().or_nothing().with_about("generated password; null if the request contained one"))});
    return operations.add(std::move(reset), handler(this, &people_api::reset_password));
}

result<void> people_api::declare_roles(registry& operations) {
    const std::string collection_path = "/api/v1/roles";
    CHECK_OK(operations.add(
        read_operation(
            "roles.list", "List roles and their rights", collection_path, page_of(role_shape())),
        handler(this, &people_api::list_roles)));
    auto show =
        read_operation("roles.show", "Get a role", collection_path + "/{role}", role_shape());
    show.takes = {in_path("role", name())};
    CHECK_OK(operations.add(std::move(show), handler(this, &people_api::show_role)));
    auto add = change_operation("roles.create", "Create a role", verb::post, collection_path);
    add.takes = {
        in_body("name", name()),
        in_body("rights", rights_shape()),
        optional_in_body("about", text())};
    add.gives = role_shape();
    add.status = 201;
    add.within = scope::cluster;
    CHECK_OK(operations.add(std::move(add), handler(this, &people_api::add_role)));
    auto change =
        change_operation("roles.change", "Update a role", verb::patch, collection_path + "/{role}");
    change.takes = {
        in_path("role", name()),
        optional_in_body("rights", rights_shape()),
        optional_in_body("about", text())};
    change.gives = role_shape();
    change.within = scope::cluster;
    CHECK_OK(operations.add(std::move(change), handler(this, &people_api::change_role)));
    auto remove = change_operation(
        "roles.remove",
        "Delete a role that no user has",
        verb::remove,
        collection_path + "/{role}");
    remove.takes = {in_path("role", name())};
    remove.within = scope::cluster;
    return operations.add(std::move(remove), handler(this, &people_api::remove_role));
}

// Users may see their own tokens; those of others need a right (read_owner()).
result<void> people_api::declare_tokens(registry& operations) {
    const std::string collection_path = "/api/v1/tokens";
    auto list =
        read_operation("tokens.list", "List API tokens", collection_path, page_of(token_shape()));
    list.takes = {
        in_query("user", name().with_about("user name; * for all users (default: the caller)"))};
    list.needed = right::self;
    CHECK_OK(operations.add(std::move(list), handler(this, &people_api::list_tokens)));
    auto create =
        change_operation("tokens.create", "Create an API token", verb::post, collection_path);
    create.takes = {
        optional_in_body("user", name().with_about("owner of the token (default: the caller)")),
        optional_in_body("purpose", text()),
        optional_in_body("grants", grants_shape()),
        optional_in_body("rights", rights_shape()),
        optional_in_body(
            "days", integer(1, token_days_max).with_about("lifetime in days (default 90)"))};
    create.gives = token_shape();
    create.gives_secret = true;
    create.status = 201;
    create.needed = right::self;
    CHECK_OK(operations.add(std::move(create), handler(this, &people_api::create_token)));
    auto revoke = change_operation(
        "tokens.revoke", "Revoke an API token", verb::remove, collection_path + "/{token}");
    revoke.takes = {in_path("token", name())};
    revoke.needed = right::self;
    return operations.add(std::move(revoke), handler(this, &people_api::revoke_token));
}

result<void> people_api::declare_sessions(registry& operations) {
    const std::string collection_path = "/api/v1/sessions";
    auto list = read_operation(
        "sessions.list", "List login sessions", collection_path, page_of(session_shape()));
    list.takes = {
        in_query("user", name().with_about("user name; * for all users (default: the caller)"))};
    list.needed = right::self;
    CHECK_OK(operations.add(std::move(list), handler(this, &people_api::list_sessions)));
    auto end = change_operation(
        "sessions.end", "End a login session", verb::remove, collection_path + "/{session}");
    end.takes = {in_path("session", name())};
    end.needed = right::self;
    return operations.add(std::move(end), handler(this, &people_api::end_session));
}

async<reply> people_api::list_users(call call) {
    const auto people = services_of(call).cache.read();
    json::array items;
    for (const auto& [name, user] : *people->users) items.push_back(user_json(user));
    co_return page(std::move(items));
}

async<reply> people_api::show_user(call call) {
    const auto people = services_of(call).cache.read();
    const auto it = people->users->find(call.text("user"));
    if (it == people->users->end())
        co_return fail(errc::not_found, "user \"" + call.text("user") + "\" not found");
    co_return reply{user_json(it->second)};
}

async<reply> people_api::add_user(call call) {
    people::user_service::new_user new_user{.name = call.text("name")};
    new_user.full_name = call.optional_text("full_name").value_or("");
    new_user.email = call.optional_text("email").value_or("");
    new_user.grants = read_grants(call).value_or(std::vector<access::grant>());
    if (call.optional_text("kind") == "service") new_user.kind = people::user_kind::service;
    new_user.pam = call.flag("pam");
    new_user.password = call.optional_text("password");
    auto work = services_of(call).users.add(actor(call), std::move(new_user));
    CO_TRY(const auto added, co_await within(clock_, engine_timeout, std::move(work)));
    auto output = user_json(added.user);
    if (!added.one_time_password.empty()) output["password"] = added.one_time_password;
    co_return reply{std::move(output)};
}

async<reply> people_api::change_user(call call) {
    people::user_service::changes changes{
        .full_name = call.optional_text("full_name"),
        .email = call.optional_text("email"),
        .grants = read_grants(call)};
    if (call.arguments().find("pam") != nullptr) changes.pam = call.flag("pam");
    if (const auto revision = call.optional_integer("revision"))
        changes.expected = kv::revision(*revision);
    auto work = services_of(call).users.change(actor(call), call.text("user"), std::move(changes));
    CO_TRY(const auto changed, co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{user_json(changed)};
}

operation_handler people_api::user_handler(user_method user_method) {
    return [this, user_method](call call) {
        return change_user_by(std::move(call), user_method);
    };
}

async<reply> people_api::change_user_by(call call, user_method user_method) {
    auto work = (services_of(call).users.*user_method)(actor(call), call.text("user"));
    co_return co_await await_change(std::move(work));
}

async<reply> people_api::await_change(async<void> work) const {
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return done_reply();
}

async<reply> people_api::reset_password(call call) {
    auto work = services_of(call).users.set_password(
        actor(call), call.text("user"), {.password = call.optional_text("password")});
    CO_TRY(const auto generated_password, co_await within(clock_, engine_timeout, std::move(work)));
    json::object output{{"password", nullptr}};
    if (!generated_password.empty()) output["password"] = generated_password;
    co_return reply{std::move(output)};
}

async<reply> people_api::list_roles(call call) {
    const auto people = services_of(call).cache.read();
    json::array items;
    for (const auto& [name, rights] : access::built_in_roles())
        items.push_back(role_json({.name = name, .rights = rights}, true));
    for (const auto& [name, role] : *people->roles) items.push_back(role_json(role.record, false));
    co_return page(std::move(items));
}

async<reply> people_api::show_role(call call) {
    const auto& name = call.text("role");
    const auto& built_in = access::built_in_roles();
    if (const auto it = built_in.find(name); it != built_in.end())
        co_return reply{role_json({.name = name, .rights = it->second}, true)};
    const auto people = services_of(call).cache.read();
    const auto it = people->roles->find(name);
    if (it == people->roles->end())
        co_return fail(errc::not_found, "role \"" + name + "\" not found");
    co_return reply{role_json(it->second.record, false)};
}

async<reply> people_api::add_role(call call) {
    people::role_record role{
        .name = call.text("name"), .about = call.optional_text("about").value_or("")};
    CO_TRY(const auto rights, read_rights(call));
    role.rights = rights.value_or(access::rights());
    auto work = services_of(call).roles.add(actor(call), std::move(role));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{role_json(result, false)};
}

async<reply> people_api::change_role(call call) {
    people::role_service::changes changes{.about = call.optional_text("about")};
    CO_TRY(changes.rights, read_rights(call));
    auto work = services_of(call).roles.change(actor(call), call.text("role"), std::move(changes));
    CO_TRY(const auto result, co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{role_json(result, false)};
}

async<reply> people_api::remove_role(call call) {
    co_return co_await await_change(services_of(call).roles.remove(actor(call), call.text("role")));
}

namespace {

// The owner of the requested tokens or sessions; nullopt: all users.
result<std::optional<std::string>> read_owner(const call& call) {
    auto owner = call.optional_text("user").value_or(actor(call).user);
    const bool is_own = owner == actor(call).user;
    if (!is_own && !actor(call).may.everywhere(right::people_read))
        return fail(
            errc::denied,
            call.operation().name + " needs the right people.read in the whole cluster");
    if (owner == "*") return std::optional<std::string>();
    return std::optional(std::move(owner));
}

}  // namespace

async<reply> people_api::list_tokens(call call) {
    CO_TRY(const auto owner, read_owner(call));
    json::array items;
    for (const auto& token : services_of(call).tokens.list(owner))
        items.push_back(token_json(token));
    co_return page(std::move(items));
}

async<reply> people_api::create_token(call call) {
    people::token_service::token_request token_request{
        .user = call.optional_text("user").value_or(actor(call).user),
        .purpose = call.optional_text("purpose").value_or(""),
        .grants = read_grants(call).value_or(std::vector<access::grant>())};
    CO_TRY(token_request.rights, read_rights(call));
    if (const auto days = call.optional_integer("days"))
        token_request.lifetime = std::chrono::days(*days);
    call.set_subject("for " + token_request.user + ": " + token_request.purpose);
    auto work = services_of(call).tokens.create(actor(call), std::move(token_request));
    CO_TRY(const auto token, co_await within(clock_, engine_timeout, std::move(work)));
    auto output = token_json({.id = token.id, .record = token.record, .valid = true});
    output["secret"] = token.secret;
    co_return reply{std::move(output)};
}

async<reply> people_api::revoke_token(call call) {
    co_return co_await await_change(
        services_of(call).tokens.revoke(actor(call), call.text("token")));
}

async<reply> people_api::list_sessions(call call) {
    CO_TRY(const auto owner, read_owner(call));
    json::array items;
    for (const auto& session : services_of(call).sessions.list(owner))
        items.push_back(session_json(session));
    co_return page(std::move(items));
}

async<reply> people_api::end_session(call call) {
    co_return co_await await_change(
        services_of(call).sessions.end(actor(call), call.text("session")));
}

}  // namespace muster::api

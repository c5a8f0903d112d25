#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/people_output.h"
#include "core/access/right.h"
#include "runtime/settings/settings.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster users                                      list users\n"
    "  muster users add ann --full-name 'Ann Lee' --grant operator@eu --grant viewer\n"
    "                                                    print a password for the first login\n"
    "  muster users add backup --service --grant viewer  a service user, which uses tokens\n"
    "  muster users change ann --grant operator          replace the grants of a user\n"
    "  muster users password ann                         reset the password of a user\n"
    "  muster users unlock ann                           after too many wrong passwords\n"
    "  muster users disable ann                          end sessions and tokens, too\n\n"
    "A grant is ROLE in the whole cluster or ROLE@ZONE, which includes the zones below it;\n"
    "`muster roles` lists the roles.\n";

constexpr auto once =
    "This password is shown only once and must be changed at the first login:\n"
    "  muster login --user NAME && muster password";

struct users_flags {
    api_flags api;
    std::string name;
    std::optional<std::string> full_name;
    std::optional<std::string> email;
    std::vector<std::string> grants;
    bool no_grants = false;
    bool service = false;
    bool pam = false;
    std::string by_pam;  // yes, no; empty: unchanged
    std::string password_file;
    std::optional<int> revision;
};

const std::string root_path = "/api/v1/users";

std::string path_of(const users_flags& flags) {
    return root_path + "/" + path_segment(flags.name);
}

exit_code list_users(const users_flags& flags) {
    return print_people(
        flags.api,
        {.command = "users",
         .call = {.path = root_path},
         .columns = {"name", "full_name", "kind", "grants", "disabled", "must_change", "pam"}});
}

exit_code show_user(const users_flags& flags) {
    return print_people(flags.api, {.command = "users show", .call = {.path = path_of(flags)}});
}

// The members that `add` and `change` share.
result<json::object> described_by(const users_flags& flags) {
    json::object body;
    if (flags.full_name) body.emplace("full_name", *flags.full_name);
    if (flags.email) body.emplace("email", *flags.email);
    if (!flags.grants.empty() || flags.no_grants) {
        TRY(auto grants, read_grants(flags.grants));
        body.emplace("grants", std::move(grants));
    }
    return body;
}

result<json::object> new_user(const users_flags& flags) {
    TRY(auto body, described_by(flags));
    body.emplace("name", flags.name);
    if (flags.service) body.emplace("kind", "service");
    if (flags.pam) body.emplace("pam", true);
    if (!flags.password_file.empty()) {
        TRY(const auto password, runtime::read_secret(flags.password_file));
        body.emplace("password", password);
    }
    return body;
}

exit_code add_user(const users_flags& flags) {
    auto body = new_user(flags);
    if (!body) return print_error("users add", {exit_code::usage, body.error().detail()});
    return print_people(
        flags.api,
        {.command = "users add",
         .call = {.method = "POST", .path = root_path, .body = *std::move(body)},
         .shown_once = "password",
         .message = once});
}

exit_code change_user(const users_flags& flags) {
    auto body = described_by(flags);
    if (!body) return print_error("users change", {exit_code::usage, body.error().detail()});
    if (!flags.by_pam.empty()) body->emplace("pam", flags.by_pam == "yes");
    if (body->empty())
        return print_error(
            "users change",
            {exit_code::usage, "nothing to change; use --full-name, --email, --grant or --pam"});
    if (flags.revision) body->emplace("revision", *flags.revision);
    return print_people(
        flags.api,
        {.command = "users change",
         .call = {.method = "PATCH", .path = path_of(flags), .body = *std::move(body)}});
}

exit_code remove_user(const users_flags& flags) {
    return print_people(
        flags.api,
        {.command = "users remove", .call = {.method = "DELETE", .path = path_of(flags)}});
}

exit_code tell(const users_flags& flags, const std::string& verb) {
    return print_people(
        flags.api,
        {.command = "users " + verb,
         .call = {.method = "POST", .path = path_of(flags) + "/" + verb}});
}

exit_code disable_user(const users_flags& flags) {
    return tell(flags, "disable");
}

exit_code enable_user(const users_flags& flags) {
    return tell(flags, "enable");
}

exit_code unlock_user(const users_flags& flags) {
    return tell(flags, "unlock");
}

exit_code end_sessions_of(const users_flags& flags) {
    return tell(flags, "logout");
}

exit_code give_password(const users_flags& flags) {
    json::object body;
    if (!flags.password_file.empty()) {
        const auto password = runtime::read_secret(flags.password_file);
        if (!password)
            return print_error("users password", {exit_code::usage, password.error().detail()});
        body.emplace("password", *password);
    }
    return print_people(
        flags.api,
        {.command = "users password",
         .call = {.method = "POST", .path = path_of(flags) + "/password", .body = std::move(body)},
         .shown_once = "password",
         .message = once});
}

command_line::option* add_description_flags(command_line::command& verb, users_flags& flags) {
    verb.add_option("--full-name", flags.full_name, "Full name")->type_name("TEXT");
    verb.add_option("--email", flags.email, "E-mail address")->type_name("ADDRESS");
    std::vector<std::string> existing;
    for (const auto& [name, rights] : access::built_in_roles()) existing.push_back(name);
    return verb
        .add_option(
            "--grant", flags.grants, "Role, in a zone or in the whole cluster; may be repeated")
        ->one_value()
        ->suggest(std::move(existing))
        ->type_name("ROLE[@ZONE]");
}

using shared_flags = std::shared_ptr<users_flags>;

void add_making_verbs(command_line::command& noun, const shared_flags& flags, action& chosen) {
    auto* add = add_verb_spec(
        noun,
        flags,
        chosen,
        {"add", "Create a user", add_user, "muster users add ann --grant operator@eu"});
    add->add_option("name,--name", flags->name, "User name")->required()->type_name("NAME");
    add_description_flags(*add, *flags);
    auto* service = add->add_flag(
        "--service", flags->service, "Create a service user, for programs; no password login");
    auto* pam = add->add_flag("--pam", flags->pam, "Check the password with PAM on the servers");
    add->add_option(
           "--password-file",
           flags->password_file,
           "File with the first password (default: generated)")
        ->type_name("FILE")
        ->excludes(service)
        ->excludes(pam);
    auto* change = add_verb_spec(
        noun,
        flags,
        chosen,
        {"change",
         "Change a user; omitted options stay unchanged",
         change_user,
         "muster users change ann --grant viewer --grant operator@eu"});
    change->add_option("name", flags->name, "User name")->required()->type_name("NAME");
    auto* grants = add_description_flags(*change, *flags);
    change->add_flag("--no-grants", flags->no_grants, "Remove all grants")->excludes(grants);
    change
        ->add_option(
            "--pam", flags->by_pam, "Check the password with PAM on the servers: yes or no")
        ->one_of({"yes", "no"})
        ->type_name("yes|no");
    change
        ->add_option(
            "--revision",
            flags->revision,
            "Expected revision of the user; the change is refused if it differs")
        ->type_name("NUMBER");
}

}  // namespace

void add_users(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<users_flags>();
    auto* noun = add_list_command(
                     root,
                     {"users", "Manage users and their roles", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_users(*flags); })
                     .noun;
    add_making_verbs(*noun, flags, chosen);
    using verb = verb_spec<users_flags>;
    for (const auto& spec :
         {verb{"show", "Show a user", show_user, "muster users show ann -o yaml"},
          verb{
              "remove",
              "Remove a user; audit entries are kept",
              remove_user,
              "muster users remove ann"},
          verb{
              "disable",
              "Disable a user; ends sessions and tokens",
              disable_user,
              "muster users disable ann"},
          verb{"enable", "Enable a disabled user", enable_user, "muster users enable ann"},
          verb{
              "unlock",
              "Unlock a user after too many wrong passwords",
              unlock_user,
              "muster users unlock ann"},
          verb{
              "password",
              "Reset a user's password; must be changed at next login",
              give_password,
              "muster users password ann"},
          verb{
              "logout",
              "End all sessions of a user",
              end_sessions_of,
              "muster users logout ann"}}) {
        auto* command = add_verb_spec(*noun, flags, chosen, spec);
        command->add_option("name", flags->name, "User name")->required()->type_name("NAME");
        if (spec.run != give_password) continue;
        command
            ->add_option(
                "--password-file",
                flags->password_file,
                "File with the new password (default: generated)")
            ->type_name("FILE");
    }
}

}  // namespace muster::cli

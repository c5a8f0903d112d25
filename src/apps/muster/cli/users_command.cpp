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
    "  muster users                                      who can log in\n"
    "  muster users add ann --full-name 'Ann Lee' --grant operator@eu --grant viewer\n"
    "                                                    prints a password for the first login\n"
    "  muster users add backup --service --grant viewer  a program; it gets in by tokens\n"
    "  muster users change ann --grant operator          these grants in place of the ones so far\n"
    "  muster users password ann                         another password for choosing a new one\n"
    "  muster users unlock ann                           after too many wrong passwords\n"
    "  muster users disable ann                          and ends what is open\n\n"
    "A grant is ROLE in the whole cluster or ROLE@ZONE, which includes the zones below it;\n"
    "`muster roles` lists the roles.\n";

constexpr auto once =
    "This password is shown only now. It is for logging in once and choosing another one:\n"
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
            {exit_code::usage, "say what to change: --full-name, --email, --grant or --pam"});
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
    verb.add_option("--full-name", flags.full_name, "What people call them")->type_name("TEXT");
    verb.add_option("--email", flags.email, "Where to write to")->type_name("ADDRESS");
    std::vector<std::string> existing;
    for (const auto& [name, rights] : access::built_in_roles()) existing.push_back(name);
    return verb.add_option("--grant", flags.grants, "A role, in a zone or everywhere; repeat it")
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
        {"add", "Make a user", add_user, "muster users add ann --grant operator@eu"});
    add->add_option("name,--name", flags->name, "What they log in as")
        ->required()
        ->type_name("NAME");
    add_description_flags(*add, *flags);
    auto* service = add->add_flag("--service", flags->service, "A program, not a person");
    auto* pam = add->add_flag("--pam", flags->pam, "The servers' PAM knows the password");
    add->add_option(
           "--password-file", flags->password_file, "A file with a first password; or one is made")
        ->type_name("FILE")
        ->excludes(service)
        ->excludes(pam);
    auto* change = add_verb_spec(
        noun,
        flags,
        chosen,
        {"change",
         "Change a user; what is not given stays",
         change_user,
         "muster users change ann --grant viewer --grant operator@eu"});
    change->add_option("name", flags->name, "Who")->required()->type_name("NAME");
    auto* grants = add_description_flags(*change, *flags);
    change->add_flag("--no-grants", flags->no_grants, "Take all grants away")->excludes(grants);
    change->add_option("--pam", flags->by_pam, "Whether the servers' PAM knows the password")
        ->one_of({"yes", "no"})
        ->type_name("yes|no");
    change->add_option("--revision", flags->revision, "Refuse if it was changed since this one")
        ->type_name("NUMBER");
}

}  // namespace

void add_users(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<users_flags>();
    auto* noun = add_list_command(
                     root,
                     {"users", "Who can log in, and what they may do", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_users(*flags); })
                     .noun;
    add_making_verbs(*noun, flags, chosen);
    using verb = verb_spec<users_flags>;
    for (const auto& spec :
         {verb{"show", "Show one user", show_user, "muster users show ann -o yaml"},
          verb{
              "remove",
              "Remove a user; the audit trail stays",
              remove_user,
              "muster users remove ann"},
          verb{
              "disable",
              "Let a user in no more, and end what is open",
              disable_user,
              "muster users disable ann"},
          verb{"enable", "Let a user in again", enable_user, "muster users enable ann"},
          verb{
              "unlock",
              "End the lock after too many wrong passwords",
              unlock_user,
              "muster users unlock ann"},
          verb{
              "password",
              "Give somebody else a password, for choosing another one",
              give_password,
              "muster users password ann"},
          verb{
              "logout",
              "End all sessions of a user",
              end_sessions_of,
              "muster users logout ann"}}) {
        auto* command = add_verb_spec(*noun, flags, chosen, spec);
        command->add_option("name", flags->name, "Who")->required()->type_name("NAME");
        if (spec.run != give_password) continue;
        command
            ->add_option("--password-file", flags->password_file, "A file with it; or one is made")
            ->type_name("FILE");
    }
}

}  // namespace muster::cli

#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/people_output.h"
#include "apps/muster/cli/rights_table.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>

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
    "  muster tokens                                     list your tokens\n"
    "  muster tokens --user backup                       list the tokens of a user; * for all "
    "users\n"
    "  muster tokens add --purpose 'nightly report' --right fleet.read --days 30\n"
    "                                                    print the secret, once\n"
    "  muster tokens add --user backup --grant viewer@eu\n"
    "  muster tokens revoke ID                           effective immediately, on every server\n\n"
    "A token authenticates a program as its user. --grant and --right restrict its rights. "
    "Programs\n"
    "send it as `Authorization: Bearer SECRET`. To use a token with muster, store it in a file "
    "that\n"
    "only you can read and use --token-file FILE.\n";

constexpr auto once =
    "This secret is shown only once. Store it where only the program that uses it can read it.";

constexpr int days_max = 5 * 366;  // as the API has it

struct tokens_flags {
    api_flags api;
    std::string user;
    std::string id;
    std::optional<std::string> purpose;
    std::vector<std::string> grants;
    std::vector<std::string> rights;
    std::optional<int> days;
};

const std::string root_path = "/api/v1/tokens";

exit_code list_tokens(const tokens_flags& flags) {
    return print_people(
        flags.api,
        {.command = "tokens",
         .call =
             {.path =
                  flags.user.empty() ? root_path : root_path + "?user=" + path_segment(flags.user)},
         .columns = {
             "id", "user", "purpose", "grants", "rights", "made", "expires", "last_used", "good"}});
}

exit_code make_token(const tokens_flags& flags) {
    json::object body;
    if (!flags.user.empty()) body.emplace("user", flags.user);
    if (flags.purpose) body.emplace("purpose", *flags.purpose);
    if (!flags.grants.empty()) {
        auto grants = read_grants(flags.grants);
        if (!grants) return print_error("tokens add", {exit_code::usage, grants.error().detail()});
        body.emplace("grants", *std::move(grants));
    }
    if (!flags.rights.empty()) body.emplace("rights", json_list(flags.rights));
    if (flags.days) body.emplace("days", *flags.days);
    return print_people(
        flags.api,
        {.command = "tokens add",
         .call = {.method = "POST", .path = root_path, .body = std::move(body)},
         .shown_once = "secret",
         .message = once});
}

exit_code revoke_token(const tokens_flags& flags) {
    return print_people(
        flags.api,
        {.command = "tokens revoke",
         .call = {.method = "DELETE", .path = root_path + "/" + path_segment(flags.id)}});
}

void add_whose(command_line::command& verb, tokens_flags& flags) {
    verb.add_option("--user", flags.user, "User name; * for all users (default: yourself)")
        ->type_name("NAME");
}

}  // namespace

void add_tokens(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<tokens_flags>();
    const auto added = add_list_command(
        root, {"tokens", "Manage API tokens", examples}, flags->api, chosen, [flags] {
            return list_tokens(*flags);
        });
    add_whose(*added.list, *flags);
    auto* make = add_verb_spec(
        *added.noun,
        flags,
        chosen,
        {"add",
         "Create an API token",
         make_token,
         "muster tokens add --purpose 'nightly report' --right fleet.read --days 30"});
    make->add_option("--user", flags->user, "User name (default: yourself)")->type_name("NAME");
    make->add_option("--purpose", flags->purpose, "Purpose of the token")->type_name("TEXT");
    make->add_option(
            "--grant",
            flags->grants,
            "Restrict the token to this grant of its user; may be repeated")
        ->one_value()
        ->type_name("ROLE[@ZONE]");
    make->add_option(
            "--right",
            flags->rights,
            "Restrict the token to this right of its user; may be repeated")
        ->one_value()
        ->suggest(right_names())
        ->type_name("RIGHT");
    make->add_option("--days", flags->days, "Lifetime in days (default 90)")
        ->between(1, days_max)
        ->type_name("NUMBER");
    add_verb_spec(
        *added.noun,
        flags,
        chosen,
        {"revoke", "Revoke a token immediately", revoke_token, "muster tokens revoke 3f2a"})
        ->add_option("id", flags->id, "Token id, from `muster tokens`")
        ->required()
        ->type_name("ID");
}

}  // namespace muster::cli

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
    "  muster tokens                                     your own tokens\n"
    "  muster tokens --user backup                       another user's; * for everybody's\n"
    "  muster tokens make --purpose 'nightly report' --right fleet.read --days 30\n"
    "                                                    prints the secret, once\n"
    "  muster tokens make --user backup --grant viewer@eu\n"
    "  muster tokens revoke ID                           at once, on every server\n\n"
    "A token lets a program in as its user. --grant and --right narrow what it may do. A program\n"
    "sends it as `Authorization: Bearer SECRET`; for this one, put it into a file of your own and\n"
    "say --token-file FILE.\n";

constexpr auto once =
    "This secret is shown only now: keep it where only the program it is for can read it.";

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
        if (!grants) return print_error("tokens make", {exit_code::usage, grants.error().detail()});
        body.emplace("grants", *std::move(grants));
    }
    if (!flags.rights.empty()) body.emplace("rights", json_list(flags.rights));
    if (flags.days) body.emplace("days", *flags.days);
    return print_people(
        flags.api,
        {.command = "tokens make",
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
    verb.add_option("--user", flags.user, "Whose; your own if not given, * for everybody's")
        ->type_name("NAME");
}

}  // namespace

void add_tokens(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<tokens_flags>();
    const auto added = add_list_command(
        root, {"tokens", "What lets programs in", examples}, flags->api, chosen, [flags] {
            return list_tokens(*flags);
        });
    add_whose(*added.noun, *flags);
    add_whose(*added.list, *flags);
    auto* make = add_verb_spec(
        *added.noun,
        flags,
        chosen,
        {"make",
         "Make a token",
         make_token,
         "muster tokens make --purpose 'nightly report' --right fleet.read --days 30"});
    make->add_option("--user", flags->user, "For whom; you if not given")->type_name("NAME");
    make->add_option("--purpose", flags->purpose, "What it is for, for people")->type_name("TEXT");
    make->add_option("--grant", flags->grants, "Only this of its user's grants; repeat it")
        ->one_value()
        ->type_name("ROLE[@ZONE]");
    make->add_option("--right", flags->rights, "Only this of its user's rights; repeat it")
        ->one_value()
        ->suggest(right_names())
        ->type_name("RIGHT");
    make->add_option("--days", flags->days, "How long it is good; 90 if not given")
        ->between(1, days_max)
        ->type_name("NUMBER");
    add_verb_spec(
        *added.noun,
        flags,
        chosen,
        {"revoke", "End a token at once", revoke_token, "muster tokens revoke 3f2a"})
        ->add_option("id", flags->id, "Which token; `muster tokens` lists them")
        ->required()
        ->type_name("ID");
}

}  // namespace muster::cli

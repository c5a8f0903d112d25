#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/people_output.h"

#include <memory>
#include <string>

namespace muster::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster sessions                    list your sessions\n"
    "  muster sessions --user '*'         list the sessions of all users\n"
    "  muster sessions end ID             end one session\n"
    "  muster users logout ann            end all sessions of a user\n";

struct sessions_flags {
    api_flags api;
    std::string user;
    std::string id;
};

const std::string root_path = "/api/v1/sessions";

exit_code list_sessions(const sessions_flags& flags) {
    return print_people(
        flags.api,
        {.command = "sessions",
         .call =
             {.path =
                  flags.user.empty() ? root_path : root_path + "?user=" + path_segment(flags.user)},
         .columns = {"id", "user", "began", "seen", "expires", "origin"}});
}

exit_code end_session(const sessions_flags& flags) {
    return print_people(
        flags.api,
        {.command = "sessions end",
         .call = {.method = "DELETE", .path = root_path + "/" + path_segment(flags.id)}});
}

void add_whose(command_line::command& verb, sessions_flags& flags) {
    verb.add_option("--user", flags.user, "User name; * for all users (default: yourself)")
        ->type_name("NAME");
}

}  // namespace

void add_sessions(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<sessions_flags>();
    const auto added = add_list_command(
        root, {"sessions", "Manage login sessions", examples}, flags->api, chosen, [flags] {
            return list_sessions(*flags);
        });
    add_whose(*added.list, *flags);
    add_verb_spec(
        *added.noun,
        flags,
        chosen,
        {"end", "End a session immediately", end_session, "muster sessions end 3f2a"})
        ->add_option("id", flags->id, "Session id, from `muster sessions`")
        ->required()
        ->type_name("ID");
}

}  // namespace muster::cli

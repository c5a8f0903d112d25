#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/login.h"
#include "apps/muster/cli/password_prompt.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace muster::cli {
namespace {

struct login_flags {
    client_flags client;
    std::string user;
    std::string password_file;
};

constexpr auto change_first =
    "This password must be changed before any other command is allowed. Run:\n"
    "  muster password";

exit_code login(const login_flags& flags) {
    const auto password = read_secret(
        {.file = flags.password_file,
         .question = "Password of " + flags.user,
         .flag = "--password-file"});
    if (!password) return print_error("login", {exit_code::usage, password.error().detail()});
    const auto context = resolve_context(flags.client);
    const auto login = log_in(context, {.user = flags.user, .password = *password});
    if (!login) return print_error("login", login.error());
    fmt::print("Logged in to {} as {} until {}.\n", context.server, flags.user, login->expires);
    if (login->must_change) print_hint(change_first);
    return exit_code::ok;
}

}  // namespace

void add_login(command_line::command& root, action& chosen) {
    auto* command = root.add_subcommand("login", "Log in and store the session token");
    const auto flags = std::make_shared<login_flags>();
    command->add_option("--user", flags->user, "User name")->required()->type_name("NAME");
    command
        ->add_option(
            "--password-file",
            flags->password_file,
            "File with the password, readable only by you (default: prompt)")
        ->type_name("FILE");
    add_client_flags(*command, flags->client);
    command->footer(
        "Examples:\n"
        "  muster login --user ann                            prompt for the password\n"
        "  muster login --server https://muster-1:8443 --ca ca.pem \\\n"
        "               --user admin --password-file first-password\n\n"
        "The token is stored in ~/.config/muster/token, or in the file given with --token-file, "
        "readable\n"
        "only by you. The session ends at logout, after its maximum lifetime or after idle "
        "time.\n");
    command->callback([&chosen, flags] {
        chosen = [flags] {
            return login(*flags);
        };
    });
}

}  // namespace muster::cli

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
    "This password is for choosing another one; until then nothing else is allowed. Run:\n"
    "  muster password";

exit_code login(const login_flags& flags) {
    const auto password = secret_from(
        {.file = flags.password_file,
         .question = "Password of " + flags.user,
         .flag = "--password-file"});
    if (!password) return complain("login", {exit_code::usage, password.error().detail()});
    const auto where = context_of(flags.client);
    const auto opened = log_in(where, {.user = flags.user, .password = *password});
    if (!opened) return complain("login", opened.error());
    fmt::print("Logged in to {} as {} until {}.\n", where.server, flags.user, opened->expires);
    if (opened->must_change) hint(change_first);
    return exit_code::well;
}

}  // namespace

void add_login(command_line::command& root, action& chosen) {
    auto* logging_in = root.add_subcommand("login", "Log in and keep the token for other commands");
    const auto flags = std::make_shared<login_flags>();
    logging_in->add_option("--user", flags->user, "Who you are")->required()->type_name("NAME");
    logging_in
        ->add_option(
            "--password-file",
            flags->password_file,
            "The file with your password, which only you can read; asked for if not given")
        ->type_name("FILE");
    add_client_flags(*logging_in, flags->client);
    logging_in->footer(
        "Examples:\n"
        "  muster login --user ann                            asks for the password\n"
        "  muster login --server https://muster-1:8443 --ca ca.pem \\\n"
        "               --user admin --password-file first-password\n\n"
        "The token is kept in ~/.config/muster/token, which only you can read, or where\n"
        "--token-file says. It is good until you log out, or are away for too long.\n");
    logging_in->callback([&chosen, flags] {
        chosen = [flags] {
            return login(*flags);
        };
    });
}

}  // namespace muster::cli

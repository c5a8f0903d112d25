#include "apps/command_line/command.h"
#include "apps/muster/cli/client.h"
#include "apps/muster/cli/command_line.h"
#include "runtime/settings/settings.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace muster::cli {
namespace {

struct login_flags {
    client_flags client;
    std::string user;
    std::string password_file;
};

exit_code complain(exit_code code, const std::string& sentence) {
    fmt::print(stderr, "muster login: {}\n", sentence);
    return code;
}

exit_code login(const login_flags& flags) {
    const auto password = runtime::read_secret(flags.password_file);
    if (!password) return complain(exit_code::usage, password.error().detail());
    const auto where = context_of(flags.client);
    const auto answered = call_api(
        where,
        {.method = "POST",
         .path = "/api/v1/login",
         .body = boost::json::object{{"user", flags.user}, {"password", *password}},
         .as = api_call::identity::none});
    if (!answered) return complain(answered.error().code, answered.error().sentence);
    const auto* members = answered->if_object();
    const auto* token = members == nullptr ? nullptr : members->if_contains("token");
    const auto* expires = members == nullptr ? nullptr : members->if_contains("expires");
    if (token == nullptr || !token->is_string() || expires == nullptr || !expires->is_string())
        return complain(exit_code::failed, "the server's answer holds no token");
    const auto kept = remember_login(where, boost::json::value_to<std::string>(*token));
    if (!kept) return complain(exit_code::failed, kept.error().detail());
    fmt::print(
        "Logged in to {} as {} until {}.\n",
        where.server,
        flags.user,
        boost::json::value_to<std::string>(*expires));
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
            "The file with your password; only you may be able to read it")
        ->required()
        ->type_name("FILE");
    add_client_flags(*logging_in, flags->client);
    logging_in->footer(
        "Example:\n"
        "  muster login --server https://muster-1:8443 --ca ca.pem \\\n"
        "               --user admin --password-file first-password\n");
    logging_in->callback([&chosen, flags] {
        chosen = [flags] {
            return login(*flags);
        };
    });
}

}  // namespace muster::cli

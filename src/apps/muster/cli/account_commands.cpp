#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/login.h"
#include "apps/muster/cli/password_prompt.h"
#include "apps/muster/cli/people_output.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

// Commands for the caller's own account: `whoami`, `password`, `logout`.

namespace muster::cli {
namespace {

namespace json = boost::json;

struct password_flags {
    api_flags api;
    std::string old_file;
    std::string new_file;
};

// Prints the message for people, or the response for programs.
void print_done(output_format format, const json::value& response, const std::string& message) {
    fmt::print(
        "{}", format == output_format::table ? message + "\n" : render(response, format, {}));
}

exit_code print_identity(const api_flags& flags) {
    const auto response = call_api(resolve_context(flags.client), {.path = "/api/v1/me"});
    if (!response) return print_error("whoami", response.error());
    fmt::print(
        "{}",
        flags.format == output_format::table ? whoami_table(*response)
                                             : render(*response, flags.format, {}));
    return exit_code::ok;
}

result<std::string> read_new_password(const password_flags& flags) {
    const terminal screen;
    if (flags.new_file.empty() && screen.is_terminal())
        return prompt_new_secret("New password", screen);
    return read_secret(
        {.file = flags.new_file, .question = "New password", .flag = "--new-file"}, screen);
}

// A password change ends all sessions, also this one.
exit_code log_in_again(
    const client_context& context, const credentials& credentials, output_format format) {
    const json::object result{{"done", true}};
    const auto login = log_in(context, credentials);
    if (!login) {
        const auto message = fmt::format(
            "password changed, but login with the new password failed: {}; run: muster login "
            "--user {}",
            login.error().message,
            credentials.user);
        return print_error("password", {.code = login.error().code, .message = message});
    }
    const auto message = fmt::format(
        "Password changed. Your other sessions and your tokens have ended; this session expires at "
        "{}.",
        login->expires);
    print_done(format, result, message);
    return exit_code::ok;
}

exit_code change_password(const password_flags& flags) {
    const auto context = resolve_context(flags.api.client);
    const auto me = call_api(context, {.path = "/api/v1/me"});
    if (!me) return print_error("password", me.error());
    const auto old_password =
        read_secret({.file = flags.old_file, .question = "Current password", .flag = "--old-file"});
    if (!old_password)
        return print_error("password", {exit_code::usage, old_password.error().detail()});
    const auto new_password = read_new_password(flags);
    if (!new_password)
        return print_error("password", {exit_code::usage, new_password.error().detail()});
    const auto response = call_api(
        context,
        {.method = "POST",
         .path = "/api/v1/me/password",
         .body = json::object{{"old", *old_password}, {"new", *new_password}}});
    if (!response) return print_error("password", response.error());
    return log_in_again(
        context, {.user = text_in(*me, "user"), .password = *new_password}, flags.api.format);
}

// Removes the token of an expired session; keeps it if the session may still be open.
exit_code log_out(const api_flags& flags) {
    constexpr unsigned not_logged_in = 401;
    const auto context = resolve_context(flags.client);
    const auto response = call_api(context, {.method = "POST", .path = "/api/v1/logout"});
    const bool had_ended = !response && response.error().status == not_logged_in;
    if (!response && !had_ended) return print_error("logout", response.error());
    const auto removed = remove_login(context);
    if (!removed) return print_error("logout", {exit_code::failed, removed.error().detail()});
    const auto result = had_ended ? json::value(json::object{{"done", true}}) : *response;
    const auto* const prefix = had_ended ? "Session already ended at " : "Logged out of ";
    print_done(flags.format, result, prefix + context.server + ".");
    return exit_code::ok;
}

}  // namespace

void add_whoami(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<api_flags>();
    auto* verb =
        add_verb(root, "whoami", "Show your user name and your rights", *flags, chosen, [flags] {
            return print_identity(*flags);
        });
    add_example(*verb, "muster whoami");
}

void add_password(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<password_flags>();
    auto* verb =
        add_verb(root, "password", "Change your own password", flags->api, chosen, [flags] {
            return change_password(*flags);
        });
    verb->add_option(
            "--old-file", flags->old_file, "File with the current password (default: prompt)")
        ->type_name("FILE");
    verb->add_option("--new-file", flags->new_file, "File with the new password (default: prompt)")
        ->type_name("FILE");
    verb->footer(
        "Examples:\n"
        "  muster password                                       prompt for both passwords\n"
        "  muster password --old-file first-password --new-file my-password\n\n"
        "A password has at least 12 characters, not counting your user name. The change ends your "
        "other\n"
        "sessions and your tokens. To reset the password of another user: muster users password "
        "--help\n");
}

void add_logout(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<api_flags>();
    auto* verb =
        add_verb(root, "logout", "End your session and delete its token", *flags, chosen, [flags] {
            return log_out(*flags);
        });
    add_example(*verb, "muster logout");
}

}  // namespace muster::cli

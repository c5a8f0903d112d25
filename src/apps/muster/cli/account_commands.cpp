#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/login.h"
#include "apps/muster/cli/password_prompt.h"
#include "apps/muster/cli/people_output.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

// What everybody does about their own account: `whoami`, `password`, `logout`.

namespace muster::cli {
namespace {

namespace json = boost::json;

struct password_flags {
    api_flags api;
    std::string old_file;
    std::string new_file;
};

// The sentence for people, the server's answer for programs.
void print_done(output_format format, const json::value& answer, const std::string& sentence) {
    fmt::print("{}", format == output_format::table ? sentence + "\n" : render(answer, format, {}));
}

exit_code print_who(const api_flags& flags) {
    const auto answered = call_api(context_of(flags.client), {.path = "/api/v1/me"});
    if (!answered) return complain("whoami", answered.error());
    fmt::print(
        "{}",
        flags.format == output_format::table ? whoami_table(*answered)
                                             : render(*answered, flags.format, {}));
    return exit_code::well;
}

result<std::string> next_password(const password_flags& flags) {
    const terminal here;
    if (flags.new_file.empty() && here.is_one()) return ask_new_secret("New password", here);
    return secret_from(
        {.file = flags.new_file, .question = "New password", .flag = "--new-file"}, here);
}

// Another password ends all sessions, this one, too.
exit_code log_in_again(
    const client_context& where, const credentials& credentials, output_format format) {
    const json::object done{{"done", true}};
    const auto opened = log_in(where, credentials);
    if (!opened) {
        const auto sentence = fmt::format(
            "the password is changed, but logging in with it failed: {}; run: muster login --user "
            "{}",
            opened.error().sentence,
            credentials.user);
        return complain("password", {.code = opened.error().code, .sentence = sentence});
    }
    const auto sentence = fmt::format(
        "Your password is changed. Your other sessions and your tokens have ended; this one is "
        "good until {}.",
        opened->expires);
    print_done(format, done, sentence);
    return exit_code::well;
}

exit_code change_password(const password_flags& flags) {
    const auto where = context_of(flags.api.client);
    const auto me = call_api(where, {.path = "/api/v1/me"});
    if (!me) return complain("password", me.error());
    const auto before =
        secret_from({.file = flags.old_file, .question = "Password so far", .flag = "--old-file"});
    if (!before) return complain("password", {exit_code::usage, before.error().detail()});
    const auto next = next_password(flags);
    if (!next) return complain("password", {exit_code::usage, next.error().detail()});
    const auto answered = call_api(
        where,
        {.method = "POST",
         .path = "/api/v1/me/password",
         .body = json::object{{"old", *before}, {"new", *next}}});
    if (!answered) return complain("password", answered.error());
    return log_in_again(where, {.user = text_in(*me, "user"), .password = *next}, flags.api.format);
}

// A session that ended by itself is no reason to keep its token; one that may be open is.
exit_code log_out(const api_flags& flags) {
    constexpr unsigned not_logged_in = 401;
    const auto where = context_of(flags.client);
    const auto answered = call_api(where, {.method = "POST", .path = "/api/v1/logout"});
    const bool had_ended = !answered && answered.error().status == not_logged_in;
    if (!answered && !had_ended) return complain("logout", answered.error());
    const auto forgotten = forget_login(where);
    if (!forgotten) return complain("logout", {exit_code::failed, forgotten.error().detail()});
    const auto answer = had_ended ? json::value(json::object{{"done", true}}) : *answered;
    const auto* const told = had_ended ? "The session had ended already at " : "Logged out of ";
    print_done(flags.format, answer, told + where.server + ".");
    return exit_code::well;
}

}  // namespace

void add_whoami(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<api_flags>();
    auto* verb =
        add_verb(root, "whoami", "Who you are, and what you may do where", *flags, chosen, [flags] {
            return print_who(*flags);
        });
    add_example(*verb, "muster whoami");
}

void add_password(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<password_flags>();
    auto* verb =
        add_verb(root, "password", "Change your own password", flags->api, chosen, [flags] {
            return change_password(*flags);
        });
    verb->add_option("--old-file", flags->old_file, "The file with the one so far; or it is asked")
        ->type_name("FILE");
    verb->add_option("--new-file", flags->new_file, "The file with the next one; or it is asked")
        ->type_name("FILE");
    verb->footer(
        "Examples:\n"
        "  muster password                                       asks for both\n"
        "  muster password --old-file first-password --new-file my-password\n\n"
        "A password has at least 12 characters beside your name. All other sessions of yours and\n"
        "your tokens end. For somebody else's, see: muster users password --help\n");
}

void add_logout(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<api_flags>();
    auto* verb =
        add_verb(root, "logout", "End your session and forget its token", *flags, chosen, [flags] {
            return log_out(*flags);
        });
    add_example(*verb, "muster logout");
}

}  // namespace muster::cli

#include "adapters/os/file.h"
#include "adapters/os/random.h"
#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/confirmation_flags.h"
#include "apps/muster/cli/job_follow.h"
#include "apps/muster/cli/rollout_flags.h"
#include "apps/muster/cli/run_request.h"
#include "base/hex.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t key_bytes = 16;
constexpr int attempts_max = 3;

constexpr auto examples =
    "Examples:\n"
    "  muster run 'tag:db' -- uptime\n"
    "  muster run '*' -- 'df -h / | tail -1'            one word with blanks: a line for the "
    "shell\n"
    "  muster run 'os:Debian' --batch 10% --canary 3 --max-failures 5 -- apt-get -y upgrade\n"
    "  muster run 'web*' --function test.ping\n"
    "  muster run 'web*' --script ./fix.sh --arg user=www-data --arg 'args:=[\"-v\"]'\n"
    "  muster run 'tag:db' --step 'apt-get -y upgrade' --step system.reboot --step 'pg_isready'\n"
    "  muster run 'tag:db' --at 2026-11-16T22:00:00Z --async -- reboot\n"
    "  muster run '*' --dry-run -- reboot               who it would be, and nothing else\n\n"
    "Systems with a maintenance schedule are changed only within their windows; how many have to\n"
    "wait is told before it starts. Before more than half of all systems are changed, or more "
    "than\n"
    "--ask-above, it asks; where there is no terminal, changing all of them needs --yes.\n\n"
    "Exit codes: 0 all completed, 1 some failed, 2 wrong usage or expression, 3 not allowed,\n"
    "            4 cluster not reachable, 5 not all answered\n";

struct command_flags {
    api_flags api;
    run_flags what;
    consent_flags consent;
    bool async = false;
    bool dry_run = false;
    bool exceptions_only = false;
    std::string timeout;
};

exit_code told(const std::string& sentence, exit_code code) {
    fmt::print(stderr, "muster run: {}\n", sentence);
    return code;
}

std::string text_of(const json::value& object, const char* name) {
    const auto* const members = object.if_object();
    const auto* const found = members == nullptr ? nullptr : members->if_contains(name);
    return found != nullptr && found->is_string() ? json::value_to<std::string>(*found) : "";
}

// The key makes one job of however many attempts it takes.
std::expected<json::value, api_failure> make(
    const client_context& where, const json::object& body) {
    const api_call api_call{
        .method = "POST",
        .path = "/api/v1/jobs",
        .body = json::value(body),
        .idempotency_key = to_hex(os::random_bytes(key_bytes))};
    for (int attempt = 1;; ++attempt) {
        auto result = call_api(where, api_call);
        if (result || attempt == attempts_max) return result;
        if (result.error().code != exit_code::timed_out) return result;
    }
}

result<run_files> files_of(const run_flags& flags) {
    run_files read;
    if (!flags.script.empty()) {
        TRY(read.script, os::load_file(flags.script));
    }
    if (!flags.chain.empty()) {
        TRY(read.chain, os::load_file(flags.chain));
    }
    return read;
}

exit_code run(const command_flags& flags) {
    const auto files = files_of(flags.what);
    if (!files) return told(files.error().detail(), exit_code::usage);
    const auto body = run_request(flags.what, *files);
    if (!body) return told(body.error().detail(), exit_code::usage);
    const auto where = context_of(flags.api.client);
    const auto foreseen = preview_job(where, *body);
    if (!foreseen) return told(foreseen.error().sentence, foreseen.error().code);
    if (flags.dry_run) {
        fmt::print("{}", render(*foreseen, flags.api.format, {}));
        return exit_code::well;
    }
    const auto ahead = outlook_of(*foreseen);
    fmt::print(stderr, "{}", spoken_waiting(ahead));
    const auto meant = check_consent("run", flags.what.query, ahead, flags.consent);
    if (!meant) return told(meant.error().sentence, meant.error().code);
    const auto result = make(where, *body);
    if (!result) return told(result.error().sentence, result.error().code);
    const auto job = text_of(*result, "id");
    if (flags.async) {
        const bool table = flags.api.format == output_format::table;
        fmt::print("{}", table ? job + "\n" : render(*result, flags.api.format, {}));
        return exit_code::well;
    }
    if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "job {}\n", job);
    return follow_job(
        where,
        {.command = "run",
         .job = job,
         .format = flags.api.format,
         .show = flags.exceptions_only ? follow_options::returns::exceptions
                                       : follow_options::returns::all,
         .timeout = flags.timeout});
}

}  // namespace

void add_run(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<command_flags>();
    auto* verb = add_verb(
        root,
        "run",
        "Run something on systems and see what comes back",
        flags->api,
        chosen,
        [flags] { return run(*flags); });
    verb->footer(examples);
    verb->add_option("query", flags->what.query, "Which systems; '*' for all")
        ->required()
        ->type_name("QUERY");
    verb->add_option("command", flags->what.command, "What to run there, behind --")
        ->type_name("COMMAND");
    verb->add_option("--function", flags->what.function, "A function instead of a command")
        ->type_name("NAME");
    verb->add_option("--script", flags->what.script, "A file that is sent and run")
        ->type_name("FILE");
    verb->add_option(
            "--step",
            flags->what.steps,
            "A line for the shell or a function, run when the step before succeeded; may be "
            "repeated")
        ->type_name("STEP")
        ->one_value();
    verb->add_option("--chain", flags->what.chain, "A file with such steps, YAML or JSON")
        ->type_name("FILE");
    verb->add_option("--arg", flags->what.arguments, "NAME=TEXT or NAME:=JSON; may be repeated")
        ->type_name("ARG")
        ->one_value();
    add_rollout_flags(*verb, flags->what);
    verb->add_flag("--async", flags->async, "Print the job's id and do not wait");
    verb->add_option("--wait", flags->timeout, "Watch no longer than this: 10m")->type_name("SPAN");
    verb->add_flag("--dry-run", flags->dry_run, "Say whom it would be for, and do nothing");
    add_consent_flags(*verb, flags->consent);
    verb->add_flag("--exceptions", flags->exceptions_only, "Show only what did not succeed");
}

}  // namespace muster::cli

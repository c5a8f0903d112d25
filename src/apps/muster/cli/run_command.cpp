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
#include <fmt/ranges.h>

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
    "  muster run '*' -- 'df -h / | tail -1'            one quoted argument: run by the shell\n"
    "  muster run 'os:Debian' --batch 10% --canary 3 --max-failures 5 -- apt-get -y upgrade\n"
    "  muster run 'web*' --function test.ping\n"
    "  muster run 'web*' --script ./fix.sh --arg user=www-data --arg 'args:=[\"-v\"]'\n"
    "  muster run 'tag:db' --step 'apt-get -y upgrade' --step system.reboot --step 'pg_isready'\n"
    "  muster run 'tag:db' --at 2026-11-16T22:00:00Z --async -- reboot\n"
    "  muster run '*' --dry-run -- reboot               show the target systems, run nothing\n\n"
    "Systems with a maintenance schedule are changed only within their windows; the number of "
    "waiting\n"
    "systems is shown before the start. A change of more than half of all systems, or of more "
    "than\n"
    "--ask-above, needs a confirmation; without a terminal, a change of all systems needs "
    "--yes.\n\n"
    "Exit codes: 0 all completed, 1 some failed, 2 wrong usage or expression, 3 not allowed,\n"
    "            4 cluster not reachable, 5 results missing\n";

struct command_flags {
    api_flags api;
    run_flags job;
    confirmation_flags confirmation;
    bool async = false;
    bool dry_run = false;
    bool exceptions_only = false;
    bool each = false;
    std::size_t words_behind_separator = 0;  // of the command
    std::string timeout;
};

exit_code print_failure(const std::string& message, exit_code code) {
    fmt::print(stderr, "muster run: {}\n", message);
    return code;
}

std::string text_member(const json::value& object, const char* name) {
    const auto* const members = object.if_object();
    const auto* const member = members == nullptr ? nullptr : members->if_contains(name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

// The idempotency key makes all attempts create one job.
std::expected<json::value, api_failure> create_job(
    const client_context& context, const json::object& body) {
    const api_call call{
        .method = "POST",
        .path = "/api/v1/jobs",
        .body = json::value(body),
        .idempotency_key = to_hex(os::random_bytes(key_bytes))};
    for (int attempt = 1;; ++attempt) {
        auto result = call_api(context, call);
        if (result || attempt == attempts_max) return result;
        if (result.error().code != exit_code::timed_out) return result;
    }
}

result<run_files> read_files(const run_flags& flags) {
    run_files files;
    if (!flags.script.empty()) {
        TRY(files.script, os::load_file(flags.script));
    }
    if (!flags.chain.empty()) {
        TRY(files.chain, os::load_file(flags.chain));
    }
    return files;
}

exit_code run(const command_flags& flags) {
    if (flags.job.command.size() > flags.words_behind_separator)
        return print_failure(
            fmt::format(
                "a command goes after --, a function after --function; use: muster run '{0}' -- "
                "{1}, or: muster run '{0}' --function {1}",
                flags.job.query,
                fmt::join(flags.job.command, " ")),
            exit_code::usage);
    const auto files = read_files(flags.job);
    if (!files) return print_failure(files.error().detail(), exit_code::usage);
    const auto body = run_request(flags.job, *files);
    if (!body) return print_failure(body.error().detail(), exit_code::usage);
    const auto context = resolve_context(flags.api.client);
    const auto response = preview_job(context, *body);
    if (!response) return print_failure(response.error().message, response.error().code);
    if (flags.dry_run) {
        fmt::print("{}", render(*response, flags.api.format, {}));
        return exit_code::ok;
    }
    const auto preview = read_preview(*response);
    fmt::print(stderr, "{}", waiting_text(preview));
    const auto confirmed = confirm_job("run", flags.job.query, preview, flags.confirmation);
    if (!confirmed) return print_failure(confirmed.error().message, confirmed.error().code);
    const auto job_response = create_job(context, *body);
    if (!job_response)
        return print_failure(job_response.error().message, job_response.error().code);
    const auto job = text_member(*job_response, "id");
    if (flags.async) {
        const bool table = flags.api.format == output_format::table;
        fmt::print("{}", table ? job + "\n" : render(*job_response, flags.api.format, {}));
        return exit_code::ok;
    }
    if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "job {}\n", job);
    return follow_job(
        context,
        {.command = "run",
         .job = job,
         .format = flags.api.format,
         .show = flags.exceptions_only ? follow_options::return_filter::exceptions
                                       : follow_options::return_filter::all,
         .each = flags.each,
         .timeout = flags.timeout});
}

}  // namespace

void add_run(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<command_flags>();
    auto* verb = add_verb(
        root,
        "run",
        "Run a command or function on systems and show the results",
        flags->api,
        chosen,
        [flags, &root] {
            flags->words_behind_separator = root.words_behind_separator();
            return run(*flags);
        });
    verb->footer(examples);
    verb->add_option("query", flags->job.query, "Systems to run on; '*' for all")
        ->required()
        ->type_name("QUERY");
    verb->add_option("command", flags->job.command, "Command to run, after --")
        ->type_name("COMMAND");
    verb->add_option("--function", flags->job.function, "Function to run instead of a command")
        ->type_name("NAME");
    verb->add_option("--script", flags->job.script, "Script file to send and run")
        ->type_name("FILE");
    verb->add_option(
            "--step",
            flags->job.steps,
            "Shell command or function; runs if the previous step succeeded; may be repeated")
        ->type_name("STEP")
        ->one_value();
    verb->add_option("--chain", flags->job.chain, "File with steps, YAML or JSON")
        ->type_name("FILE");
    verb->add_option(
            "--arg", flags->job.arguments, "Argument as NAME=TEXT or NAME:=JSON; may be repeated")
        ->type_name("ARG")
        ->one_value();
    add_rollout_flags(*verb, flags->job);
    verb->add_flag("--async", flags->async, "Print the job id and do not wait");
    verb->add_option(
            "--wait",
            flags->timeout,
            "Maximum time to watch the job, e.g. 10m (default: until it ends)")
        ->type_name("DURATION");
    verb->add_flag("--dry-run", flags->dry_run, "Show the target systems; run nothing");
    add_confirmation_flags(*verb, flags->confirmation);
    verb->add_flag("--exceptions", flags->exceptions_only, "Show only tasks that did not succeed");
    verb->add_flag(
        "--each",
        flags->each,
        "Show the output of each system as it arrives; by default a terminal shows equal outputs "
        "once, at the end");
}

}  // namespace muster::cli

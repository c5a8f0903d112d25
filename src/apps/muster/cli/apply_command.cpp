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

#include <algorithm>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t key_bytes = 16;

constexpr auto examples =
    "Examples:\n"
    "  muster apply 'tag:web'                       write all files of their channels\n"
    "  muster apply 'tag:web' --dry-run             say what would be written\n"
    "  muster apply 'tag:web' --channel motd        one configuration channel only\n"
    "  muster apply '*' --batch 10% --canary 3 --window respect\n\n"
    "Systems that get the same files are one job. Who has to wait for a maintenance window is "
    "told\n"
    "before it starts, and before a wide change it asks as `muster run` does.\n";

struct apply_flags {
    api_flags api;
    run_flags what;
    consent_flags consent;
    std::string channel;
    bool async = false;
    bool dry_run = false;
    bool by_expression = false;
    bool exceptions_only = false;
    std::string timeout;
};

exit_code told(const std::string& sentence, exit_code code) {
    fmt::print(stderr, "muster apply: {}\n", sentence);
    return code;
}

// The job that each set of files becomes, without the files.
result<json::object> job_of(const apply_flags& flags) {
    auto job = flags.what;
    job.function = "files.deploy";
    return run_request(job, {});
}

// As of a job, without what the server says by itself.
json::object body_of(const apply_flags& flags, json::object body) {
    body.erase("function");
    body.erase("arguments");
    if (flags.dry_run) body["dry_run"] = true;
    if (flags.by_expression) body["by_expression"] = true;
    if (!flags.channel.empty()) body["channel"] = flags.channel;
    return body;
}

void tell_left_out(const json::object& answer) {
    const auto* const told = answer.if_contains("left_out");
    if (told == nullptr || !told->is_number() || told->to_number<std::int64_t>() == 0) return;
    fmt::print(
        stderr,
        "of {} systems files were left out that come by a group's expression; --by-expression "
        "has them written\n",
        told->to_number<std::int64_t>());
}

// The worst of what came of several jobs.
exit_code follow_all(
    const client_context& where, const apply_flags& flags, const json::array& jobs) {
    auto outcome = exit_code::well;
    for (const auto& each : jobs) {
        const auto job = json::value_to<std::string>(each.at("id"));
        fmt::print(
            stderr,
            "job {}: {} files on {} systems\n",
            job,
            each.at("files").to_number<std::int64_t>(),
            each.at("targets").to_number<std::int64_t>());
        const auto ended = follow_job(
            where,
            {.command = "apply",
             .job = job,
             .format = flags.api.format,
             .show = flags.exceptions_only ? follow_options::returns::exceptions
                                           : follow_options::returns::all,
             .timeout = flags.timeout});
        outcome = std::max(outcome, ended);
    }
    return outcome;
}

// Who compares only changes nothing and waits for nobody; and of those the query means only who
// gets files is changed.
std::expected<void, api_failure> check_meant(
    const client_context& where, const apply_flags& flags, const json::object& job) {
    if (flags.dry_run) return {};
    const auto foreseen = preview_job(where, job);
    if (!foreseen) return std::unexpected(foreseen.error());
    const auto files = call_api(
        where,
        {.method = "POST",
         .path = "/api/v1/configuration/preview",
         .body = json::value(body_of(flags, job))});
    if (!files) return std::unexpected(files.error());
    auto ahead = outlook_of(*foreseen);
    const auto changed = outlook_of(*files).targets;
    if (changed == ahead.targets)
        fmt::print(stderr, "{}", spoken_waiting(ahead));
    else if (ahead.waiting > 0 && changed > 0)
        fmt::print(stderr, "some of these systems may wait for their maintenance window\n");
    ahead.away = changed == ahead.targets ? ahead.away : 0;  // of the others it is not known
    ahead.targets = changed;
    // Not for everybody, if not everybody gets files.
    const auto query = changed < ahead.fleet ? std::string_view("") : flags.what.query;
    return check_consent("apply", query, ahead, flags.consent);
}

exit_code apply(const apply_flags& flags) {
    const auto job = job_of(flags);
    if (!job) return told(job.error().detail(), exit_code::usage);
    const auto where = context_of(flags.api.client);
    const auto meant = check_meant(where, flags, *job);
    if (!meant) return told(meant.error().sentence, meant.error().code);
    const auto result = call_api(
        where,
        {.method = "POST",
         .path = "/api/v1/configuration/deploy",
         .body = json::value(body_of(flags, *job)),
         .idempotency_key = to_hex(os::random_bytes(key_bytes))});
    if (!result) return told(result.error().sentence, result.error().code);
    const auto* const jobs =
        result->is_object() ? result->get_object().if_contains("jobs") : nullptr;
    if (jobs == nullptr || !jobs->is_array())
        return told("the server answered something else", exit_code::failed);
    tell_left_out(result->get_object());
    if (!flags.async) return follow_all(where, flags, jobs->get_array());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*result, flags.api.format, {}));
        return exit_code::well;
    }
    for (const auto& each : jobs->get_array())
        fmt::print("{}\n", json::value_to<std::string>(each.at("id")));
    return exit_code::well;
}

}  // namespace

void add_apply(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<apply_flags>();
    auto* verb = add_verb(
        root,
        "apply",
        "Bring systems to their configuration channels",
        flags->api,
        chosen,
        [flags] { return apply(*flags); });
    verb->footer(examples);
    verb->add_option("query", flags->what.query, "Which systems; '*' for all")
        ->required()
        ->type_name("QUERY");
    verb->add_option("--channel", flags->channel, "Files of this configuration channel only")
        ->type_name("LABEL");
    verb->add_flag("--dry-run", flags->dry_run, "Compare, and write nothing");
    verb->add_flag(
        "--by-expression",
        flags->by_expression,
        "Also files that systems have by a group's expression only");
    add_rollout_flags(*verb, flags->what);
    verb->add_flag("--async", flags->async, "Print the jobs' ids and do not wait");
    verb->add_option("--wait", flags->timeout, "Watch each job no longer than this: 10m")
        ->type_name("SPAN");
    add_consent_flags(*verb, flags->consent);
    verb->add_flag("--exceptions", flags->exceptions_only, "Show only what did not succeed");
}

}  // namespace muster::cli

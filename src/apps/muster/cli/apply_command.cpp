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
    "  muster apply 'tag:web' --dry-run             show the differences, write nothing\n"
    "  muster apply 'tag:web' --channel motd        one configuration channel only\n"
    "  muster apply '*' --batch 10% --canary 3 --window respect\n\n"
    "Systems with the same files share one job. The number of systems that wait for a maintenance\n"
    "window is shown before the start. Wide changes need a confirmation, as in `muster run`.\n";

struct apply_flags {
    api_flags api;
    run_flags job;
    confirmation_flags confirmation;
    std::string channel;
    bool async = false;
    bool dry_run = false;
    bool by_expression = false;
    bool exceptions_only = false;
    std::string timeout;
};

exit_code print_failure(const std::string& message, exit_code code) {
    fmt::print(stderr, "muster apply: {}\n", message);
    return code;
}

// The job for each set of files, without the files.
result<json::object> to_job(const apply_flags& flags) {
    auto job = flags.job;
    job.function = "files.deploy";
    return run_request(job, {});
}

// The body of a job, without the members that the server sets.
json::object to_body(const apply_flags& flags, json::object body) {
    body.erase("function");
    body.erase("arguments");
    if (flags.dry_run) body["dry_run"] = true;
    if (flags.by_expression) body["by_expression"] = true;
    if (!flags.channel.empty()) body["channel"] = flags.channel;
    return body;
}

void print_left_out(const json::object& response) {
    const auto* const count = response.if_contains("left_out");
    if (count == nullptr || !count->is_number() || count->to_number<std::int64_t>() == 0) return;
    fmt::print(
        stderr,
        "{} systems: files assigned by a group's expression were skipped; use --by-expression to "
        "write them\n",
        count->to_number<std::int64_t>());
}

// Returns the worst outcome of the jobs.
exit_code follow_all(
    const client_context& context, const apply_flags& flags, const json::array& jobs) {
    auto outcome = exit_code::ok;
    for (const auto& entry : jobs) {
        const auto job = json::value_to<std::string>(entry.at("id"));
        fmt::print(
            stderr,
            "job {}: {} files on {} systems\n",
            job,
            entry.at("files").to_number<std::int64_t>(),
            entry.at("targets").to_number<std::int64_t>());
        const auto job_outcome = follow_job(
            context,
            {.command = "apply",
             .job = job,
             .format = flags.api.format,
             .show = flags.exceptions_only ? follow_options::return_filter::exceptions
                                           : follow_options::return_filter::all,
             .timeout = flags.timeout});
        outcome = std::max(outcome, job_outcome);
    }
    return outcome;
}

// A comparison changes nothing and needs no confirmation. Otherwise only the systems that get files
// count.
std::expected<void, api_failure> confirm(
    const client_context& context, const apply_flags& flags, const json::object& job) {
    if (flags.dry_run) return {};
    const auto preview = preview_job(context, job);
    if (!preview) return std::unexpected(preview.error());
    const auto files = call_api(
        context,
        {.method = "POST",
         .path = "/api/v1/configuration/preview",
         .body = json::value(to_body(flags, job))});
    if (!files) return std::unexpected(files.error());
    auto expected = read_preview(*preview);
    const auto changed_count = read_preview(*files).targets;
    if (changed_count == expected.targets)
        fmt::print(stderr, "{}", waiting_text(expected));
    else if (expected.waiting > 0 && changed_count > 0)
        fmt::print(stderr, "some of these systems may wait for their maintenance window\n");
    expected.offline = changed_count == expected.targets ? expected.offline
                                                         : 0;  // unknown for a part of the systems
    expected.targets = changed_count;
    // Not all systems are changed if some get no files.
    const auto query = changed_count < expected.fleet ? std::string_view("") : flags.job.query;
    return confirm_job("apply", query, expected, flags.confirmation);
}

exit_code apply(const apply_flags& flags) {
    const auto job = to_job(flags);
    if (!job) return print_failure(job.error().detail(), exit_code::usage);
    const auto context = resolve_context(flags.api.client);
    const auto confirmed = confirm(context, flags, *job);
    if (!confirmed) return print_failure(confirmed.error().message, confirmed.error().code);
    const auto response = call_api(
        context,
        {.method = "POST",
         .path = "/api/v1/configuration/deploy",
         .body = json::value(to_body(flags, *job)),
         .idempotency_key = to_hex(os::random_bytes(key_bytes))});
    if (!response) return print_failure(response.error().message, response.error().code);
    const auto* const jobs =
        response->is_object() ? response->get_object().if_contains("jobs") : nullptr;
    if (jobs == nullptr || !jobs->is_array())
        return print_failure("unexpected response from the server", exit_code::failed);
    print_left_out(response->get_object());
    if (!flags.async) return follow_all(context, flags, jobs->get_array());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*response, flags.api.format, {}));
        return exit_code::ok;
    }
    for (const auto& entry : jobs->get_array())
        fmt::print("{}\n", json::value_to<std::string>(entry.at("id")));
    return exit_code::ok;
}

}  // namespace

void add_apply(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<apply_flags>();
    auto* verb = add_verb(
        root, "apply", "Apply configuration channels to systems", flags->api, chosen, [flags] {
            return apply(*flags);
        });
    verb->footer(examples);
    verb->add_option("query", flags->job.query, "Systems to apply to; '*' for all")
        ->required()
        ->type_name("QUERY");
    verb->add_option("--channel", flags->channel, "Configuration channel to apply (default: all)")
        ->type_name("LABEL");
    verb->add_flag("--dry-run", flags->dry_run, "Show the differences; write nothing");
    verb->add_flag(
        "--by-expression",
        flags->by_expression,
        "Include files that are assigned only by a group's expression");
    add_rollout_flags(*verb, flags->job);
    verb->add_flag("--async", flags->async, "Print the job ids and do not wait");
    verb->add_option(
            "--wait",
            flags->timeout,
            "Maximum time to watch each job, e.g. 10m (default: until it ends)")
        ->type_name("DURATION");
    add_confirmation_flags(*verb, flags->confirmation);
    verb->add_flag("--exceptions", flags->exceptions_only, "Show only tasks that did not succeed");
}

}  // namespace muster::cli

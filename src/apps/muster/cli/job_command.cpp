#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/job_follow.h"
#include "apps/muster/cli/job_follow_task.h"
#include "apps/muster/cli/job_progress.h"
#include "apps/muster/cli/job_view.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 5> changes{"pause", "resume", "cancel", "retry", "release"};

constexpr auto examples =
    "Examples:\n"
    "  muster job 20261116051234123456             show the job; live on a terminal\n"
    "  muster job 20261116051234123456 --failed    list failed tasks with their errors\n"
    "  muster job 20261116051234123456 --tasks queued -o json\n"
    "  muster job 20261116051234123456 web1        show the task on web1; a chain step by step\n"
    "  muster job 20261116051234123456 --results   show results, grouped by equal output\n"
    "  muster job 20261116051234123456 --follow web1   follow the output of the task on web1\n"
    "  muster job 20261116051234123456 signal --on web1 --signal kill\n"
    "  muster job 20261116051234123456 pause       pause; continue with resume\n"
    "  muster job 20261116051234123456 cancel      cancel queued tasks; --force: running tasks, "
    "too\n"
    "  muster job 20261116051234123456 retry       create a job for the failed systems\n"
    "  muster job 20261116051234123456 release     start without waiting for canaries or other "
    "jobs\n";

struct job_flags {
    api_flags api;
    std::string id;
    std::string verb;
    std::string note;
    std::string tasks;
    std::string follow;
    std::string system;
    std::string signal = "term";
    std::size_t limit = 1'000;
    bool force = false;
    bool failed = false;
    bool results = false;
    bool watch = false;
};

std::string job_path(const job_flags& flags) {
    return "/api/v1/jobs/" + path_segment(flags.id);
}

exit_code print_failure(const api_failure& failure) {
    fmt::print(stderr, "muster job: {}\n", printable(failure.message));
    return failure.code;
}

std::string text_of(const json::value& object, const char* name) {
    const auto* const members = object.if_object();
    const auto* const member = members == nullptr ? nullptr : members->if_contains(name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

exit_code change(const job_flags& flags) {
    json::object body;
    if (!flags.note.empty()) body["note"] = flags.note;
    if (flags.force) body["force"] = true;
    const auto response = call_api(
        resolve_context(flags.api.client),
        {.method = "POST", .path = job_path(flags) + "/" + flags.verb, .body = json::value(body)});
    if (!response) return print_failure(response.error());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*response, flags.api.format, {}));
        return exit_code::ok;
    }
    fmt::print("job {} is {}\n", text_of(*response, "id"), text_of(*response, "stage"));
    return exit_code::ok;
}

exit_code list_tasks(const job_flags& flags) {
    const auto state = flags.failed ? std::string("failed") : flags.tasks;
    auto path = job_path(flags) + "/tasks";
    if (state != "all") path += "?state=" + path_segment(state);
    return print_list(
        flags.api,
        {.command = "job",
         .path = path,
         .words = {},
         .limit = flags.limit,
         .columns = {"system", "name", "state", "attempt", "exit_code", "ended", "reason"}});
}

exit_code follow(const job_flags& flags) {
    return follow_task(
        resolve_context(flags.api.client),
        {.job = flags.id, .system = flags.follow, .format = flags.api.format});
}

exit_code send_signal(const job_flags& flags) {
    if (flags.system.empty()) {
        fmt::print(stderr, "muster job: signal needs a system; use --on SYSTEM\n");
        return exit_code::usage;
    }
    const json::value body = json::object{{"signal", flags.signal}};
    return print_response(
        "job",
        flags.api,
        {.method = "POST",
         .path = "/api/v1/systems/" + path_segment(flags.system) + "/tasks/"
                 + path_segment(flags.id) + "/signal",
         .body = body},
        {"job", "attempt", "function", "since", "running"});
}

exit_code show(const job_flags& flags) {
    const auto context = resolve_context(flags.api.client);
    const auto job = call_api(context, {.path = job_path(flags)});
    if (!job) return print_failure(job.error());
    const bool table = flags.api.format == output_format::table;
    fmt::print("{}", table ? job_text(*job) : render(*job, flags.api.format, {}));
    const auto stage = text_of(*job, "stage");
    const bool is_running = stage == "open" || stage == "paused" || stage == "cancelling";
    const bool live = table && ::isatty(STDOUT_FILENO) == 1;
    if (!flags.watch && (!is_running || !live)) return exit_code::ok;
    return follow_job(
        context,
        {.command = "job",
         .job = flags.id,
         .format = flags.api.format,
         .show = follow_options::return_filter::exceptions,
         .each = true,
         .timeout = {}});
}

exit_code show_task(const job_flags& flags) {
    const auto task = call_api(
        resolve_context(flags.api.client),
        {.path = job_path(flags) + "/tasks/" + path_segment(flags.verb)});
    if (!task) return print_failure(task.error());
    const bool table = flags.api.format == output_format::table;
    fmt::print("{}", table ? task_view(*task) : render(*task, flags.api.format, {}));
    return exit_code::ok;
}

exit_code show_results(const job_flags& flags) {
    const auto path = job_path(flags) + "/results";
    if (flags.api.format != output_format::table)
        return print_response("job", flags.api, {.path = path}, {});
    const auto results = call_api(resolve_context(flags.api.client), {.path = path});
    if (!results) return print_failure(results.error());
    fmt::print("{}", results_text(*results));
    return exit_code::ok;
}

exit_code run(const job_flags& flags) {
    if (flags.verb == "signal") return send_signal(flags);
    if (std::ranges::find(changes, flags.verb) != changes.end()) return change(flags);
    if (!flags.verb.empty()) return show_task(flags);
    if (!flags.follow.empty()) return follow(flags);
    if (flags.failed || !flags.tasks.empty()) return list_tasks(flags);
    if (flags.results) return show_results(flags);
    return show(flags);
}

}  // namespace

void add_job(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<job_flags>();
    auto* verb = add_verb(root, "job", "Show, watch or change a job", flags->api, chosen, [flags] {
        return run(*flags);
    });
    verb->footer(examples);
    verb->add_option("job", flags->id, "Job id")->required()->type_name("JOB");
    verb->add_option(
            "verb",
            flags->verb,
            "Action (pause, resume, cancel, retry, release or signal), or a system whose task to "
            "show")
        ->type_name("VERB|SYSTEM");
    verb->add_flag("--failed", flags->failed, "List failed tasks");
    verb->add_option("--tasks", flags->tasks, "List tasks in this state; `all` for every state")
        ->type_name("STATE");
    verb->add_flag("--results", flags->results, "Show results, grouped by equal output");
    verb->add_option("--follow", flags->follow, "System whose output to follow until its task ends")
        ->type_name("SYSTEM");
    verb->add_flag("--watch", flags->watch, "Watch the job even if the output is not a terminal");
    verb->add_option("--limit", flags->limit, "Maximum number of listed tasks (default 1000)")
        ->type_name("NUMBER");
    verb->add_option("--on", flags->system, "System of the task (with signal)")
        ->type_name("SYSTEM");
    verb->add_option(
            "--signal",
            flags->signal,
            "Signal to send: term, kill or cancel (with signal; default term)")
        ->one_of({"term", "kill", "cancel"})
        ->type_name("SIGNAL");
    verb->add_flag("--force", flags->force, "End running tasks, too (with cancel)");
    verb->add_option("--note", flags->note, "Reason for the action; recorded in the audit log")
        ->type_name("TEXT");
}

}  // namespace muster::cli

#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/job_follow.h"
#include "apps/muster/cli/job_progress.h"
#include "apps/muster/cli/job_view.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr int look_ms = 1'000;

constexpr auto examples =
    "Examples:\n"
    "  muster job 20261116051234123456             how it stands; live on a terminal\n"
    "  muster job 20261116051234123456 --failed    where it failed, and why\n"
    "  muster job 20261116051234123456 --tasks queued -o json\n"
    "  muster job 20261116051234123456 --results   what many systems returned alike\n"
    "  muster job 20261116051234123456 --follow web1\n"
    "  muster job 20261116051234123456 pause       and resume\n"
    "  muster job 20261116051234123456 cancel      what has not started; --force: running ones "
    "too\n"
    "  muster job 20261116051234123456 retry       a new job for the failed systems\n"
    "  muster job 20261116051234123456 release     do not wait for canaries or other jobs\n";

struct job_flags {
    api_flags api;
    std::string id;
    std::string verb;
    std::string note;
    std::string tasks;
    std::string follow;
    std::size_t limit = 1'000;
    bool force = false;
    bool failed = false;
    bool results = false;
    bool watch = false;
};

std::string address(const job_flags& flags) {
    return "/api/v1/jobs/" + path_segment(flags.id);
}

exit_code told(const api_failure& failure) {
    fmt::print(stderr, "muster job: {}\n", printable(failure.sentence));
    return failure.code;
}

std::string text_of(const json::value& object, const char* name) {
    const auto* const members = object.if_object();
    const auto* const found = members == nullptr ? nullptr : members->if_contains(name);
    return found != nullptr && found->is_string() ? json::value_to<std::string>(*found) : "";
}

exit_code change(const job_flags& flags) {
    json::object body;
    if (!flags.note.empty()) body["note"] = flags.note;
    if (flags.force) body["force"] = true;
    const auto changed = call_api(
        context_of(flags.api.client),
        {.method = "POST", .path = address(flags) + "/" + flags.verb, .body = json::value(body)});
    if (!changed) return told(changed.error());
    if (flags.api.format != output_format::table) {
        fmt::print("{}", render(*changed, flags.api.format, {}));
        return exit_code::well;
    }
    fmt::print("job {} is {}\n", text_of(*changed, "id"), text_of(*changed, "stage"));
    return exit_code::well;
}

exit_code list_tasks(const job_flags& flags) {
    const auto state = flags.failed ? std::string("failed") : flags.tasks;
    auto path = address(flags) + "/tasks";
    if (state != "all") path += "?state=" + path_segment(state);
    return print_list(
        flags.api,
        {.command = "job",
         .path = path,
         .words = {},
         .limit = flags.limit,
         .columns = {"system", "name", "state", "attempt", "exit_code", "ended", "reason"}});
}

// Waits until the task has ended and shows what it returned.
exit_code follow_task(const job_flags& flags) {
    const auto where = context_of(flags.api.client);
    const auto path = address(flags) + "/tasks/" + path_segment(flags.follow);
    while (true) {
        const auto task = call_api(where, {.path = path});
        if (!task) return told(task.error());
        const auto state = text_of(*task, "state");
        const auto* const pending = task->as_object().if_contains("output_pending");
        const bool waiting = pending != nullptr && pending->is_bool() && pending->as_bool();
        if (state == "queued" || state == "picked_up" || waiting) {
            ::poll(nullptr, 0, look_ms);
            continue;
        }
        if (flags.api.format != output_format::table) {
            fmt::print("{}", render(*task, flags.api.format, {}));
        } else {
            const auto* const output = task->as_object().if_contains("output");
            if (output != nullptr) fmt::print("{}\n", printable(output_text(*output)));
            const auto reason = text_of(*task, "reason");
            fmt::print(stderr, "{}{}\n", state, reason.empty() ? "" : ": " + printable(reason));
        }
        if (state == "completed") return exit_code::well;
        return state == "failed" ? exit_code::failed : exit_code::timed_out;
    }
}

exit_code show(const job_flags& flags) {
    const auto where = context_of(flags.api.client);
    const auto job = call_api(where, {.path = address(flags)});
    if (!job) return told(job.error());
    const bool table = flags.api.format == output_format::table;
    fmt::print("{}", table ? job_text(*job) : render(*job, flags.api.format, {}));
    const auto stage = text_of(*job, "stage");
    const bool goes_on = stage == "open" || stage == "paused" || stage == "cancelling";
    const bool live = table && ::isatty(STDOUT_FILENO) == 1;
    if (!flags.watch && (!goes_on || !live)) return exit_code::well;
    return follow_job(
        where,
        {.command = "job",
         .job = flags.id,
         .format = flags.api.format,
         .show = follow_options::returns::exceptions,
         .patience = {}});
}

exit_code show_results(const job_flags& flags) {
    const auto path = address(flags) + "/results";
    if (flags.api.format != output_format::table)
        return print_answer("job", flags.api, {.path = path}, {});
    const auto results = call_api(context_of(flags.api.client), {.path = path});
    if (!results) return told(results.error());
    fmt::print("{}", results_text(*results));
    return exit_code::well;
}

exit_code run(const job_flags& flags) {
    if (!flags.verb.empty()) return change(flags);
    if (!flags.follow.empty()) return follow_task(flags);
    if (flags.failed || !flags.tasks.empty()) return list_tasks(flags);
    if (flags.results) return show_results(flags);
    return show(flags);
}

}  // namespace

void add_job(CLI::App& root, action& chosen) {
    const auto flags = std::make_shared<job_flags>();
    auto* verb = add_verb(root, "job", "Show, watch or change a job", flags->api, chosen, [flags] {
        return run(*flags);
    });
    verb->footer(examples);
    verb->add_option("job", flags->id, "The job's id")->required()->type_name("JOB");
    verb->add_option("verb", flags->verb, "pause, resume, cancel, retry or release")
        ->check(CLI::IsMember({"pause", "resume", "cancel", "retry", "release"}).description(""))
        ->type_name("VERB");
    verb->add_flag("--failed", flags->failed, "List the systems where it failed");
    verb->add_option("--tasks", flags->tasks, "List the tasks in this state, or `all`")
        ->type_name("STATE");
    verb->add_flag("--results", flags->results, "What systems returned, alike ones together");
    verb->add_option("--follow", flags->follow, "Wait for one system and show what it returned")
        ->type_name("SYSTEM");
    verb->add_flag("--watch", flags->watch, "Watch it also when this is no terminal");
    verb->add_option("--limit", flags->limit, "Of a list: how many at most")->type_name("NUMBER");
    verb->add_flag("--force", flags->force, "With cancel: end running tasks too");
    verb->add_option("--note", flags->note, "With a change: why")->type_name("TEXT");
}

}  // namespace muster::cli

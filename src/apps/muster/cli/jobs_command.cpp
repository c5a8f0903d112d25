#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"
#include "apps/muster/cli/window_wait_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace muster::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster jobs                        the last 20 jobs, newest first\n"
    "  muster jobs --limit 500 -o json\n"
    "  muster jobs --stage open,paused    jobs that have not ended\n"
    "  muster jobs --zone emea            jobs on systems of a zone\n"
    "  muster jobs --system web1          tasks of one system\n";

struct jobs_flags {
    api_flags api;
    std::size_t limit = 20;
    std::string system;
    std::string stages;
    std::string zone;
};

exit_code list_jobs(const jobs_flags& flags) {
    if (!flags.system.empty())
        return print_list(
            flags.api,
            {.command = "jobs",
             .path = "/api/v1/systems/" + path_segment(flags.system) + "/tasks",
             .words = {},
             .limit = flags.limit,
             .columns = {"job", "state", "exit_code", "picked_up", "ended", "waiting", "reason"},
             .prepare = describe_window_wait});
    std::string path = "/api/v1/jobs";
    char separator = '?';
    const auto add = [&](std::string_view name, const std::string& value) {
        if (value.empty()) return;
        path += fmt::format("{}{}={}", std::exchange(separator, '&'), name, path_segment(value));
    };
    add("stage", flags.stages);
    add("zone", flags.zone);
    return print_list(
        flags.api,
        {.command = "jobs",
         .path = std::move(path),
         .words = {},
         .limit = flags.limit,
         .columns =
             {"id", "stage", "function", "targets", "ended", "failed", "waiting", "by", "query"},
         .prepare = describe_window_wait});
}

}  // namespace

void add_jobs(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<jobs_flags>();
    auto* verb = add_verb(root, "jobs", "List jobs, newest first", flags->api, chosen, [flags] {
        return list_jobs(*flags);
    });
    verb->footer(examples);
    verb->add_option("--limit", flags->limit, "Maximum number of jobs (default 20)")
        ->type_name("NUMBER");
    auto* const stages = verb->add_option(
        "--stage",
        flags->stages,
        "Only jobs in these stages, comma-separated: open, paused, cancelling, cancelled, halted, "
        "expired, done");
    stages->type_name("STAGES");
    auto* const zone = verb->add_option("--zone", flags->zone, "Only jobs on systems of this zone");
    zone->type_name("ZONE");
    verb->add_option("--system", flags->system, "List the tasks of this system")
        ->type_name("SYSTEM")
        ->excludes(stages)
        ->excludes(zone);
}

}  // namespace muster::cli

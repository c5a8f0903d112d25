#include "apps/muster/cli/command_line.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
    namespace cli = muster::cli;
    constexpr std::array commands{
        cli::add_serve,    cli::add_login,  cli::add_nodes,   cli::add_zones,   cli::add_keys,
        cli::add_systems,  cli::add_search, cli::add_groups,  cli::add_windows, cli::add_schedules,
        cli::add_run,      cli::add_jobs,   cli::add_job,     cli::add_why,     cli::add_events,
        cli::add_webhooks, cli::add_top,    cli::add_cluster, cli::add_archive, cli::add_config,
        cli::add_version};
    std::vector<std::string> words(argv + 1, argv + argc);
    return static_cast<int>(cli::run_command_line(commands, std::move(words)));
}

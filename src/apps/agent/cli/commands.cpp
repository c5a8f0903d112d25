#include "apps/agent/cli/commands.h"

#include "apps/command_line/command.h"
#include "apps/command_line/parse.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace muster::agent::cli {
namespace {

constexpr auto description = "Connect this machine to a Muster cluster.";
constexpr auto examples =
    "Examples:\n"
    "  muster-agent run --server https://muster.acme.org:8443 --ca /etc/muster/ca.pem\n"
    "  muster-agent status                        show the agent's state\n"
    "  muster-agent tasks                         list its tasks\n"
    "  muster-agent facts                         print the machine's facts\n"
    "  muster-agent config sample > /etc/muster/agent.yaml\n\n"
    "Exit codes: 0 success or deleted from the cluster, 1 failed, 2 wrong usage\n";

exit_code print_version() {
    fmt::print("muster-agent {}\n", MUSTER_VERSION);
    return exit_code::ok;
}

}  // namespace

void add_version(command_line::command& root, chosen_action& chosen) {
    auto* version = root.add_subcommand("version", "Print the version");
    version->callback([&chosen] { chosen = print_version; });
}

exit_code run_command_line(std::vector<std::string> words) {
    command_line::program program("muster-agent", description);
    auto& root = program.root();
    root.require_subcommand(1, 1);
    root.footer(examples);
    chosen_action chosen;
    add_run(root, chosen);
    add_status(root, chosen);
    add_tasks(root, chosen);
    add_facts(root, chosen);
    add_config(root, chosen);
    add_version(root, chosen);
    switch (command_line::parse(root, std::move(words))) {
        case command_line::parse_outcome::help_printed:
            return exit_code::ok;
        case command_line::parse_outcome::invalid:
            return exit_code::usage;
        case command_line::parse_outcome::chosen:
            break;
    }
    return chosen();
}

}  // namespace muster::agent::cli

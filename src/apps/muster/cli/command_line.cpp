#include "apps/muster/cli/command_line.h"

#include "apps/command_line/command.h"
#include "apps/command_line/parse.h"

#include <utility>

namespace muster::cli {
namespace {

constexpr auto description = "Manage a fleet of machines with a Muster cluster.";
constexpr auto examples =
    "Examples:\n"
    "  muster serve --data ./data                 run a server with embedded stores\n"
    "  muster login --user admin --password-file ./data/first-password\n"
    "  muster users add ann --grant operator      create a user\n"
    "  muster keys accept 'name:web*'             accept new systems\n"
    "  muster run 'tag:db' -- uptime              run a command and show the results\n"
    "  muster why JOB SYSTEM                      explain the state of a task\n"
    "  muster nodes -o json                       list nodes and servers\n"
    "  muster config sample > muster.yaml         write a file with every setting\n\n"
    "Exit codes: 0 success, 1 failed, 2 wrong usage, 3 not allowed,\n"
    "            4 cluster not reachable, 5 timed out\n";

}  // namespace

exit_code run_command_line(std::span<const command> commands, std::vector<std::string> arguments) {
    command_line::program program("muster", description);
    auto& root = program.root();
    root.require_subcommand(1, 1);
    root.footer(examples);
    action chosen;
    for (const auto add : commands) add(root, chosen);
    switch (command_line::parse(root, std::move(arguments))) {
        case command_line::parse_outcome::help_printed:
            return exit_code::ok;
        case command_line::parse_outcome::invalid:
            return exit_code::usage;
        case command_line::parse_outcome::chosen:
            break;
    }
    return chosen();
}

}  // namespace muster::cli

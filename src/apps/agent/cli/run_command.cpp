#include "apps/agent/cli/commands.h"
#include "apps/agent/cli/setting_flags.h"
#include "apps/agent/service/run_agent.h"
#include "apps/command_line/command.h"

#include <fmt/format.h>

#include <cstdio>

namespace muster::agent::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster-agent run --server https://muster.acme.org:8443 --ca /etc/muster/ca.pem\n"
    "  muster-agent run --server muster1:8443,muster2:8443 --ca-fingerprint 8f:2d:… \\\n"
    "                   --enrolment-token-file /etc/muster/agent.token\n"
    "  muster-agent run --data ./web2 --name web2 …      a second agent on one machine\n\n"
    "The agent exits on SIGTERM, when the system was deleted from the cluster, or when idle\n"
    "(exit_when_idle). SIGHUP collects the facts of the machine again.\n";

exit_code run(const settings_input& input) {
    const auto settings = read_settings(input);
    if (!settings) return exit_code::usage;
    const auto finished = run_agent(*settings);
    if (finished) return exit_code::ok;
    fmt::print(stderr, "muster-agent: {}\n", finished.error().detail());
    return finished.error().code() == errc::invalid ? exit_code::usage : exit_code::failed;
}

}  // namespace

void add_run(command_line::command& root, chosen_action& chosen) {
    auto* command = root.add_subcommand("run", "Run the agent");
    const auto input = add_setting_flags(*command);
    command->footer(examples);
    command->callback([&chosen, input] {
        chosen = [input] {
            return run(*input);
        };
    });
}

}  // namespace muster::agent::cli

#include "apps/agent/cli/commands.h"
#include "apps/agent/settings/agent_settings.h"
#include "apps/command_line/command.h"
#include "runtime/settings/documents.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace muster::agent::cli {
namespace {

exit_code check(const std::string& file) {
    const auto outcome = resolve({.config = file, .flags = {}});
    for (const auto& problem : outcome.problems) fmt::print(stderr, "{}\n", problem);
    if (!outcome.problems.empty()) {
        fmt::print(stderr, "{}: problems found: {}\n", file, outcome.problems.size());
        return exit_code::usage;
    }
    fmt::print("{}: no problems found\n", file);
    return exit_code::ok;
}

exit_code print_sample() {
    fmt::print("{}", runtime::sample_file(agent_settings()));
    return exit_code::ok;
}

exit_code print_docs() {
    fmt::print("{}", runtime::settings_page(agent_settings()));
    return exit_code::ok;
}

}  // namespace

void add_config(command_line::command& root, chosen_action& chosen) {
    auto* config = root.add_subcommand("config", "Check and describe settings");
    config->require_subcommand(1, 1);

    auto* check_command =
        config->add_subcommand("check", "Check a settings file and list all problems");
    const auto file = std::make_shared<std::string>(agent_settings_file);
    check_command->add_option("FILE", *file, "Settings file to check")->show_default();
    check_command->footer("Example:\n  muster-agent config check /etc/muster/agent.yaml\n");
    check_command->callback([&chosen, file] {
        chosen = [file] {
            return check(*file);
        };
    });

    auto* sample = config->add_subcommand("sample", "Print a sample file with all settings");
    sample->footer("Example:\n  muster-agent config sample > /etc/muster/agent.yaml\n");
    sample->callback([&chosen] { chosen = print_sample; });

    auto* docs = config->add_subcommand("docs", "Print the reference page of all settings");
    docs->callback([&chosen] { chosen = print_docs; });
}

}  // namespace muster::agent::cli

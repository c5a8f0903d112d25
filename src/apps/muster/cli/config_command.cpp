#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/server/settings_check.h"
#include "apps/muster/settings/server_settings.h"
#include "runtime/settings/documents.h"
#include "runtime/settings/settings.h"
#include "runtime/settings/source.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace muster::cli {
namespace {

exit_code check(const std::string& file) {
    const auto from_file = runtime::read_settings_file(server_settings(), file);
    const auto from_environment =
        runtime::read_environment(server_settings(), runtime::process_environment());
    auto resolution = runtime::resolve(server_settings(), {from_environment, from_file});
    if (resolution.problems.empty())
        resolution.problems = server::check_settings(resolution.values);
    for (const auto& problem : resolution.problems) fmt::print(stderr, "{}\n", problem);
    if (!resolution.problems.empty()) {
        fmt::print(stderr, "{}: problems found: {}\n", file, resolution.problems.size());
        return exit_code::usage;
    }
    fmt::print("{}: valid, settings: {}\n", file, from_file.entries.size());
    return exit_code::ok;
}

exit_code print_sample() {
    fmt::print("{}", runtime::sample_file(server_settings()));
    return exit_code::ok;
}

exit_code print_docs() {
    fmt::print("{}", runtime::settings_page(server_settings()));
    return exit_code::ok;
}

}  // namespace

void add_config(command_line::command& root, action& chosen) {
    auto* config = root.add_subcommand("config", "Check and describe the settings of `serve`");
    config->require_subcommand(1, 1);

    auto* check_command =
        config->add_subcommand("check", "Check a settings file and list all problems");
    const auto file = std::make_shared<std::string>(server_settings_file);
    check_command->add_option("FILE", *file, "Settings file to check")
        ->show_default()
        ->environment("MUSTER_CONFIG");
    check_command->footer("Example:\n  muster config check /etc/muster/muster.yaml\n");
    check_command->callback([&chosen, file] {
        chosen = [file] {
            return check(*file);
        };
    });

    auto* sample =
        config->add_subcommand("sample", "Print a sample settings file with every setting");
    sample->footer("Example:\n  muster config sample > /etc/muster/muster.yaml\n");
    sample->callback([&chosen] { chosen = print_sample; });

    auto* docs = config->add_subcommand("docs", "Print the reference of all settings (Markdown)");
    docs->callback([&chosen] { chosen = print_docs; });
}

}  // namespace muster::cli

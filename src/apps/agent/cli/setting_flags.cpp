#include "apps/agent/cli/setting_flags.h"

#include "apps/command_line/command.h"
#include "runtime/settings/documents.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace muster::agent::cli {

std::shared_ptr<given_settings> add_setting_flags(command_line::command& command) {
    const auto input = std::make_shared<given_settings>();
    command
        .add_option("--config", input->config, "The settings file; it must exist when it is named")
        ->type_name("FILE")
        ->environment("MUSTER_CONFIG");
    for (const auto& agent_setting : agent_settings()) {
        const std::string name(agent_setting.name);
        const auto flag = runtime::flag_of(agent_setting);
        command
            .add_setting(
                flag,
                [input, name, flag](const std::string& text) {
                    input->flags.written.push_back({name, text, flag});
                },
                runtime::help_line(agent_setting))
            ->take_last()
            ->type_name("VALUE")
            ->group("Settings");
    }
    return input;
}

std::optional<runtime::settings> settings_or_problems(const given_settings& given_settings) {
    auto outcome = resolve(given_settings);
    for (const auto& problem : outcome.problems) fmt::print(stderr, "muster-agent: {}\n", problem);
    if (!outcome.problems.empty()) return std::nullopt;
    return std::move(outcome.values);
}

}  // namespace muster::agent::cli

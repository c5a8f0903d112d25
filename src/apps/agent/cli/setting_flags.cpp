#include "apps/agent/cli/setting_flags.h"

#include "apps/command_line/command.h"
#include "runtime/settings/documents.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace muster::agent::cli {

std::shared_ptr<settings_input> add_setting_flags(command_line::command& command) {
    const auto input = std::make_shared<settings_input>();
    command.add_option("--config", input->config, "Settings file; must exist if given")
        ->type_name("FILE")
        ->environment("MUSTER_CONFIG");
    for (const auto& setting : agent_settings()) {
        const std::string name(setting.name);
        const auto flag = runtime::flag_of(setting);
        command
            .add_setting(
                flag,
                [input, name, flag](const std::string& text) {
                    input->flags.entries.push_back({name, text, flag});
                },
                runtime::help_line(setting))
            ->take_last()
            ->type_name("VALUE")
            ->group("Settings");
    }
    return input;
}

std::optional<runtime::settings> read_settings(const settings_input& input) {
    auto outcome = resolve(input);
    for (const auto& problem : outcome.problems) fmt::print(stderr, "muster-agent: {}\n", problem);
    if (!outcome.problems.empty()) return std::nullopt;
    return std::move(outcome.values);
}

}  // namespace muster::agent::cli

#include "apps/agent/cli/commands.h"
#include "apps/agent/cli/setting_flags.h"
#include "apps/agent/facts/survey.h"
#include "apps/command_line/command.h"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace muster::agent::cli {
namespace {

exit_code print_facts(const given_settings& given_settings, const std::string& output) {
    const auto desired = settings_or_problems(given_settings);
    if (!desired) return exit_code::usage;
    const auto match = survey({.root = "/", .directory = desired->path("facts.directory")});
    for (const auto& problem : match.problems) fmt::print(stderr, "muster-agent: {}\n", problem);
    if (output == "table") {
        for (const auto& [path, value] : match.all) fmt::print("{:<32} {}\n", path, value);
        return exit_code::well;
    }
    std::string document = "{";
    for (const auto& [path, value] : match.all) {
        if (document.size() > 1) document += ",";
        document += "\n  " + boost::json::serialize(boost::json::string(path)) + ": " + value;
    }
    fmt::print("{}\n}}\n", document);
    return exit_code::well;
}

}  // namespace

void add_facts(command_line::command& root, chosen_action& chosen) {
    auto* command = root.add_subcommand("facts", "Print what the agent says about this machine");
    const auto input = add_setting_flags(*command);
    const auto output = std::make_shared<std::string>("table");
    command->add_option("-o,--output", *output, "table or json")
        ->one_of({"table", "json"})
        ->show_default();
    command->footer("Example:\n  muster-agent facts -o json\n");
    command->callback([&chosen, input, output] {
        chosen = [input, output] {
            return print_facts(*input, *output);
        };
    });
}

}  // namespace muster::agent::cli

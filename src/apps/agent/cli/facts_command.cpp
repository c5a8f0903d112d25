#include "apps/agent/cli/commands.h"
#include "apps/agent/cli/setting_flags.h"
#include "apps/agent/facts/fact_collector.h"
#include "apps/command_line/command.h"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace muster::agent::cli {
namespace {

exit_code print_facts(const settings_input& input, const std::string& output) {
    const auto settings = read_settings(input);
    if (!settings) return exit_code::usage;
    const auto collected =
        collect_facts({.root = "/", .directory = settings->path("facts.directory")});
    for (const auto& problem : collected.problems)
        fmt::print(stderr, "muster-agent: {}\n", problem);
    if (output == "table") {
        for (const auto& [path, value] : collected.values) fmt::print("{:<32} {}\n", path, value);
        return exit_code::ok;
    }
    std::string document = "{";
    for (const auto& [path, value] : collected.values) {
        if (document.size() > 1) document += ",";
        document += "\n  " + boost::json::serialize(boost::json::string(path)) + ": " + value;
    }
    fmt::print("{}\n}}\n", document);
    return exit_code::ok;
}

}  // namespace

void add_facts(command_line::command& root, chosen_action& chosen) {
    auto* command = root.add_subcommand("facts", "Print the facts of this machine");
    const auto input = add_setting_flags(*command);
    const auto output = std::make_shared<std::string>("table");
    command->add_option("-o,--output", *output, "Output format: table or json")
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

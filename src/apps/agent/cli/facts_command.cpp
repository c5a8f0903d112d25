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

exit_code print_facts(const given_settings& given, const std::string& output) {
    const auto wanted = settings_or_problems(given);
    if (!wanted) return exit_code::usage;
    const auto found = survey({.root = "/", .directory = wanted->path("facts.directory")});
    for (const auto& each : found.problems) fmt::print(stderr, "muster-agent: {}\n", each);
    if (output == "table") {
        for (const auto& [path, value] : found.all) fmt::print("{:<32} {}\n", path, value);
        return exit_code::well;
    }
    std::string document = "{";
    for (const auto& [path, value] : found.all) {
        if (document.size() > 1) document += ",";
        document += "\n  " + boost::json::serialize(boost::json::string(path)) + ": " + value;
    }
    fmt::print("{}\n}}\n", document);
    return exit_code::well;
}

}  // namespace

void add_facts(command_line::command& root, chosen_action& chosen) {
    auto* command = root.add_subcommand("facts", "Print what the agent says about this machine");
    const auto given = add_setting_flags(*command);
    const auto output = std::make_shared<std::string>("table");
    command->add_option("-o,--output", *output, "table or json")
        ->one_of({"table", "json"})
        ->show_default();
    command->footer("Example:\n  muster-agent facts -o json\n");
    command->callback([&chosen, given, output] {
        chosen = [given, output] {
            return print_facts(*given, *output);
        };
    });
}

}  // namespace muster::agent::cli

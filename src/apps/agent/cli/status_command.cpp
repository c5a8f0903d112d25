#include "apps/agent/cli/commands.h"
#include "apps/agent/cli/setting_flags.h"
#include "apps/agent/service/daemon.h"
#include "apps/agent/service/state_file.h"
#include "apps/command_line/command.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>

namespace muster::agent::cli {
namespace {

constexpr std::array fields{
    "name",
    "fingerprint",
    "state",
    "node",
    "since",
    "round_trip",
    "last_error",
    "next_attempt",
    "version"};

exit_code print_status(const settings_input& input, const std::string& output) {
    const auto settings = read_settings(input);
    if (!settings) return exit_code::usage;
    const auto text = read_status(settings->path("data") / status_file);
    if (!text) {
        fmt::print(
            stderr,
            "muster-agent: {}; start the agent first or set --data\n",
            text.error().detail());
        return exit_code::failed;
    }
    if (output == "json") {
        fmt::print("{}", *text);
        return exit_code::ok;
    }
    boost::json::error_code failure;
    const auto document = boost::json::parse(*text, failure);
    if (failure || !document.is_object()) {
        fmt::print(stderr, "muster-agent: status file is corrupt\n");
        return exit_code::failed;
    }
    for (const auto* name : fields) {
        const auto* value = document.get_object().if_contains(name);
        if (value == nullptr || !value->is_string() || value->get_string().empty()) continue;
        fmt::print("{:<13} {}\n", name, std::string_view(value->get_string()));
    }
    return exit_code::ok;
}

}  // namespace

void add_status(command_line::command& root, chosen_action& chosen) {
    auto* command = root.add_subcommand("status", "Show the last recorded state of the agent");
    const auto input = add_setting_flags(*command);
    const auto output = std::make_shared<std::string>("table");
    command->add_option("-o,--output", *output, "Output format: table or json")
        ->one_of({"table", "json"})
        ->show_default();
    command->footer("Example:\n  muster-agent status --data /var/lib/muster-agent -o json\n");
    command->callback([&chosen, input, output] {
        chosen = [input, output] {
            return print_status(*input, *output);
        };
    });
}

}  // namespace muster::agent::cli

#include "adapters/os/file.h"
#include "apps/agent/cli/commands.h"
#include "apps/agent/cli/setting_flags.h"
#include "apps/agent/service/agent_options.h"
#include "apps/command_line/command.h"
#include "base/iso_time.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace muster::agent::cli {
namespace {

namespace json = boost::json;

void print_task(const json::object& task) {
    const auto text = [&task](const char* name) {
        return json::value_to<std::string>(task.at(name));
    };
    const std::chrono::microseconds since(json::value_to<std::int64_t>(task.at("since_us")));
    fmt::print(
        "{:<20}  {:>7}  {:<8}  {:<24}  {}\n",
        text("job"),
        json::value_to<std::int64_t>(task.at("attempt")),
        text("state"),
        iso_time(wall_time(since), iso_precision::milliseconds),
        text("function"));
}

exit_code print_tasks(const settings_input& input, const std::string& output) {
    const auto settings = read_settings(input);
    if (!settings) return exit_code::usage;
    const auto text = os::load_file(settings->path("data") / tasks_file);
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
    json::error_code failure;
    const auto document = json::parse(*text, failure);
    if (failure || !document.is_array()) {
        fmt::print(stderr, "muster-agent: task list file is corrupt\n");
        return exit_code::failed;
    }
    fmt::print(
        "{:<20}  {:>7}  {:<8}  {:<24}  {}\n", "job", "attempt", "state", "since", "function");
    for (const auto& task : document.get_array()) print_task(task.as_object());
    return exit_code::ok;
}

}  // namespace

void add_tasks(command_line::command& root, chosen_action& chosen) {
    auto* command = root.add_subcommand("tasks", "List running and waiting tasks");
    const auto input = add_setting_flags(*command);
    const auto output = std::make_shared<std::string>("table");
    command->add_option("-o,--output", *output, "Output format: table or json")
        ->one_of({"table", "json"})
        ->show_default();
    command->footer("Example:\n  muster-agent tasks --data /var/lib/muster-agent -o json\n");
    command->callback([&chosen, input, output] {
        chosen = [input, output] {
            return print_tasks(*input, *output);
        };
    });
}

}  // namespace muster::agent::cli

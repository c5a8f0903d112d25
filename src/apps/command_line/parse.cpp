#include "apps/command_line/parse.h"

#include "apps/command_line/command.h"
#include "runtime/settings/nearest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace muster::command_line {
namespace {

// The innermost command that the arguments name.
const CLI::App& innermost_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : innermost_command(*chosen.back());
}

std::vector<std::string> known_names(const CLI::App& app, bool want_flags) {
    std::vector<std::string> names;
    if (want_flags) {
        for (const auto* option : app.get_options()) {
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        }
    } else {
        for (const auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
            names.push_back(subcommand->get_name());
    }
    return names;
}

void explain(const CLI::App& root, const CLI::ParseError& failure) {
    const auto unknown = root.remaining(true);
    const auto& command = innermost_command(root);
    std::string message = failure.what();
    if (!unknown.empty()) {
        const auto word = unknown.front().substr(0, unknown.front().find('='));
        const bool is_flag = word.starts_with('-');
        message = fmt::format(
            "unknown {} `{}`{}",
            is_flag ? "flag" : "command",
            word,
            runtime::did_you_mean(word, known_names(command, is_flag)));
    }
    std::string path = command.get_name();
    for (const auto* parent = command.get_parent(); parent != nullptr;
         parent = parent->get_parent())
        path = parent->get_name() + " " + path;
    fmt::print(stderr, "{}: {}\nSee: {} --help\n", path, message, path);
}

}  // namespace

parse_outcome parse(command& root_command, std::vector<std::string> words) {
    auto& root = root_command.native();
    std::ranges::reverse(words);  // CLI11 expects reverse order
    try {
        root.parse(std::move(words));
    } catch (const CLI::Success& help) {
        root.exit(help);
        return parse_outcome::help_printed;
    } catch (const CLI::ParseError& failure) {
        explain(root, failure);
        return parse_outcome::invalid;
    }
    return parse_outcome::chosen;
}

}  // namespace muster::command_line

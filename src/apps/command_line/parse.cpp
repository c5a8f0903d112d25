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

// The innermost command the words named.
const CLI::App& deepest(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.back());
}

std::vector<std::string> known_words(const CLI::App& app, bool flags) {
    std::vector<std::string> existing;
    if (flags) {
        for (const auto* option : app.get_options()) {
            for (const auto& name : option->get_lnames()) existing.push_back("--" + name);
        }
    } else {
        for (const auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
            existing.push_back(subcommand->get_name());
    }
    return existing;
}

void explain(const CLI::App& root, const CLI::ParseError& failure) {
    const auto unknown = root.remaining(true);
    const auto& where = deepest(root);
    std::string sentence = failure.what();
    if (!unknown.empty()) {
        const auto word = unknown.front().substr(0, unknown.front().find('='));
        const bool flag = word.starts_with('-');
        sentence = fmt::format(
            "unknown {} `{}`{}",
            flag ? "flag" : "command",
            word,
            runtime::did_you_mean(word, known_words(where, flag)));
    }
    std::string path = where.get_name();
    for (const auto* above = where.get_parent(); above != nullptr; above = above->get_parent())
        path = above->get_name() + " " + path;
    fmt::print(stderr, "{}: {}\nSee: {} --help\n", path, sentence, path);
}

}  // namespace

parsed parse(command& from, std::vector<std::string> words) {
    auto& root = from.under();
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
        root.parse(std::move(words));
    } catch (const CLI::Success& asked_for_help) {
        root.exit(asked_for_help);
        return parsed::answered;
    } catch (const CLI::ParseError& failure) {
        explain(root, failure);
        return parsed::wrong;
    }
    return parsed::chosen;
}

}  // namespace muster::command_line

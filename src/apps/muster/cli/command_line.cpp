#include "apps/muster/cli/command_line.h"

#include "runtime/settings/nearest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace muster::cli {
namespace {

constexpr auto description = "muster manages a fleet of machines as one logical unit.";
constexpr auto examples =
    "Examples:\n"
    "  muster serve --data ./data                 a server with everything embedded\n"
    "  muster login --user admin --password-file ./data/first-password\n"
    "  muster nodes -o json                       the servers of the cluster\n"
    "  muster config sample > muster.yaml         a file with every setting\n\n"
    "Exit codes: 0 all well, 1 failed, 2 wrong usage, 3 not allowed,\n"
    "            4 cluster not reachable, 5 timed out\n";

// The innermost command the words named.
const CLI::App& deepest(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.back());
}

std::vector<std::string> known_words(const CLI::App& app, bool flags) {
    std::vector<std::string> known;
    if (flags) {
        for (const auto* each : app.get_options()) {
            for (const auto& name : each->get_lnames()) known.push_back("--" + name);
        }
    } else {
        for (const auto* each : app.get_subcommands([](const CLI::App*) { return true; }))
            known.push_back(each->get_name());
    }
    return known;
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

exit_code run_command_line(std::span<const command> commands, std::vector<std::string> words) {
    CLI::App root(description, "muster");
    root.require_subcommand(1);
    root.footer(examples);
    action chosen;
    for (const auto add : commands) add(root, chosen);
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
        root.parse(std::move(words));
    } catch (const CLI::Success& asked_for_help) {
        root.exit(asked_for_help);
        return exit_code::well;
    } catch (const CLI::ParseError& failure) {
        explain(root, failure);
        return exit_code::usage;
    }
    return chosen();
}

}  // namespace muster::cli

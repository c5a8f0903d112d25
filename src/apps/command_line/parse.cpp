#include "apps/command_line/parse.h"

#include "apps/command_line/command.h"
#include "runtime/settings/nearest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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

bool takes_value(const CLI::App& app, const std::string& flag) {
    const auto* const option = app.get_option_no_throw(flag);
    return option != nullptr && option->get_items_expected_max() > 0;
}

// Whether the value of this flag is the next word.
bool value_follows(const command& command, const std::string& word) {
    if (word.contains('=') || (word.size() > 2 && !word.starts_with("--"))) return false;
    const auto* const fallback = command.default_subcommand();
    return takes_value(command.native(), word)
           || (fallback != nullptr && takes_value(fallback->native(), word));
}

// Writes out the default subcommand if the words name none; returns whether it did.
bool insert_default_subcommand(const command& root, std::vector<std::string>& words) {
    const auto* current = &root;
    std::size_t operands_begin = 0;  // behind the name of the current command
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        // The help is that of the noun, unless flags or operands of its default verb come first.
        if ((words[i] == "-h" || words[i] == "--help") && i == operands_begin) return false;
        if (words[i].size() > 1 && words[i].starts_with('-')) {
            if (value_follows(*current, words[i])) ++i;
            continue;
        }
        const auto* const next = current->find_subcommand(words[i]);
        if (next == nullptr) break;
        current = next;
        operands_begin = i + 1;
    }
    const auto* const fallback = current->default_subcommand();
    if (fallback == nullptr) return false;
    words.insert(
        words.begin() + static_cast<std::ptrdiff_t>(operands_begin), fallback->native().get_name());
    return true;
}

void explain(const CLI::App& command, const std::string& problem, const std::string& unknown) {
    std::string message = problem;
    if (!unknown.empty()) {
        const auto word = unknown.substr(0, unknown.find('='));
        const bool is_flag = word.starts_with('-');
        message = fmt::format(
            "unknown {} \"{}\"{}",
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
    const auto separator = std::ranges::find(words, "--");
    root_command.set_words_behind_separator(
        separator == words.end() ? 0 : static_cast<std::size_t>(words.end() - separator) - 1);
    const bool inserted = insert_default_subcommand(root_command, words);
    const auto explain_failure = [&](const std::string& problem) {
        const auto remaining = root.remaining(true);
        const auto unknown = remaining.empty() ? std::string() : remaining.front();
        const auto& innermost = innermost_command(root);
        // A wrong word behind a noun was meant as a verb of the noun.
        const bool is_verb = inserted && !unknown.empty() && !unknown.starts_with('-');
        explain(is_verb ? *innermost.get_parent() : innermost, problem, unknown);
    };
    std::ranges::reverse(words);  // CLI11 expects reverse order
    try {
        root.parse(std::move(words));
    } catch (const CLI::Success& help) {
        if (!root.remaining(true).empty()) {
            explain_failure("");
            return parse_outcome::invalid;
        }
        root.exit(help);
        return parse_outcome::help_printed;
    } catch (const CLI::ParseError& failure) {
        explain_failure(failure.what());
        return parse_outcome::invalid;
    }
    return parse_outcome::chosen;
}

}  // namespace muster::command_line

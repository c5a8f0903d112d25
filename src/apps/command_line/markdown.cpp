#include "apps/command_line/markdown.h"

#include "apps/command_line/command_description.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::command_line {
namespace {

// Escapes text for a cell of a table.
std::string cell(std::string_view text) {
    std::string result;
    for (const char character : text) {
        if (character == '|') result += '\\';
        result += character == '\n' ? ' ' : character;
    }
    return result;
}

std::string option_names(const option_description& option) {
    std::string names;
    for (const auto& flag : option.flags) names += (names.empty() ? "" : ", ") + flag;
    if (names.empty()) return option.operand;
    return option.value.empty() ? names : names + " " + option.value;
}

std::string option_row(const option_description& option) {
    auto about = option.about;
    if (option.required) about += " (required)";
    if (!option.environment.empty()) about += " [" + option.environment + "]";
    if (!option.words.empty()) {
        about += ":";
        for (const auto& word : option.words) about += " " + word;
    }
    return "| `" + cell(option_names(option)) + "` | " + cell(about) + " |\n";
}

std::string usage(const command_path& path) {
    auto line = path.words;
    for (const auto& option : path.command->options) {
        if (option.operand.empty()) continue;
        const auto name = option.operand + (option.many ? "..." : "");
        line += option.required ? " " + name : " [" + name + "]";
    }
    if (!path.command->subcommands.empty())
        line += path.command->needs_subcommand ? " COMMAND" : " [COMMAND]";
    return line;
}

// Options of at least this many commands are described once.
constexpr std::size_t common_from = 10;

std::vector<option_description> common_options(const std::vector<command_path>& paths) {
    std::vector<std::pair<option_description, std::size_t>> counts;
    for (const auto& path : paths) {
        for (const auto& option : path.command->options) {
            const auto it = std::ranges::find(
                counts, option, &std::pair<option_description, std::size_t>::first);
            if (it == counts.end()) {
                counts.emplace_back(option, 1);
            } else {
                ++it->second;
            }
        }
    }
    std::vector<option_description> common;
    for (const auto& [option, count] : counts) {
        if (count >= common_from) common.push_back(option);
    }
    return common;
}

std::string sentence(std::string text) {
    if (!text.ends_with('.')) text += '.';
    return text;
}

std::string section(const command_path& path, const std::vector<option_description>& common) {
    auto text = "\n## " + path.words + "\n\n" + sentence(path.command->about) + "\n\n    "
                + usage(path) + "\n";
    std::string rows;
    for (const auto& option : path.command->options) {
        if (std::ranges::find(common, option) == common.end()) rows += option_row(option);
    }
    if (!rows.empty()) text += "\n| option | meaning |\n|---|---|\n" + rows;
    if (!path.command->examples.empty()) text += "\n```text\n" + path.command->examples + "```\n";
    return text;
}

}  // namespace

std::string markdown_page(const command_description& root) {
    const auto paths = all_paths(root);
    const auto common = common_options(paths);
    std::string page = "\n## Common options\n\n| option | meaning |\n|---|---|\n";
    for (const auto& option : common) page += option_row(option);
    for (const auto& path : paths) page += section(path, common);
    return page;
}

}  // namespace muster::command_line

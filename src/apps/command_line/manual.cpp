#include "apps/command_line/manual.h"

#include "apps/command_line/command_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace muster::command_line {
namespace {

// Decodes the UTF-8 character at `position` and advances behind it. '?' if it is invalid.
char32_t decode_character(std::string_view text, std::size_t& position) {
    const auto byte = [&](std::size_t index) {
        return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
    };
    const auto first = byte(position++);
    if (first < 0x80U) return first;
    const int following = first >= 0xf0U ? 3 : first >= 0xe0U ? 2 : first >= 0xc0U ? 1 : 0;
    if (following == 0) return U'?';
    char32_t character = first & (0x3fU >> static_cast<unsigned>(following));
    for (int i = 0; i < following; ++i) {
        if ((byte(position) & 0xc0U) != 0x80U) return U'?';
        character = (character << 6U) | (byte(position++) & 0x3fU);
    }
    return character;
}

// Escapes text for roff.
std::string roff(std::string_view text) {
    std::string result;
    bool line_start = true;
    for (std::size_t position = 0; position < text.size();) {
        const auto character = decode_character(text, position);
        if (line_start && (character == U'.' || character == U'\'')) result += "\\&";
        line_start = character == U'\n';
        if (character == U'\\') {
            result += "\\e";
        } else if (character == U'-') {
            result += "\\-";
        } else if (character == U'\'') {
            result += "\\(aq";
        } else if (character == U'`') {
            result += "\\(ga";
        } else if (character < 0x80U) {
            result += static_cast<char>(character);
        } else {
            result += fmt::format("\\[u{:04X}]", static_cast<unsigned>(character));
        }
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string synopsis(const command_path& path) {
    auto line = bold(path.words);
    const bool has_flags = std::ranges::any_of(
        path.command->options,
        [](const option_description& option) { return !option.flags.empty(); });
    if (has_flags) line += " [" + italic("FLAG") + " ...]";
    for (const auto& option : path.command->options) {
        if (option.operand.empty()) continue;
        const auto name = italic(option.operand) + (option.many ? " ..." : "");
        line += option.required ? " " + name : " [" + name + "]";
    }
    if (!path.command->subcommands.empty())
        line += path.command->needs_subcommand ? " " + italic("COMMAND")
                                               : " [" + italic("COMMAND") + "]";
    return line + "\n";
}

std::string option_entry(const option_description& option) {
    std::string names;
    for (const auto& flag : option.flags) names += (names.empty() ? "" : ", ") + bold(flag);
    if (option.flags.empty()) {
        names = italic(option.operand);
    } else if (!option.value.empty()) {
        names += " " + italic(option.value);
    }
    auto about = roff(option.about);
    if (option.required) about += " (required)";
    if (!option.words.empty()) {
        about += "\n.br\nOne of:";
        for (const auto& word : option.words) about += " " + roff(word);
    }
    return ".TP\n" + names + "\n" + about + "\n";
}

std::string option_entries(const command_description& command) {
    std::string result;
    for (const auto& option : command.options) result += option_entry(option);
    return result;
}

// Omits flags that the page already describes.
std::string further_entries(
    const command_description& command, const command_description& page_command) {
    std::string result;
    std::string repeated;
    for (const auto& option : command.options) {
        const bool is_repeated =
            !option.flags.empty()
            && std::ranges::find(page_command.options, option) != page_command.options.end();
        if (is_repeated) {
            repeated += (repeated.empty() ? "" : ", ") + bold(option.flags.back());
        } else {
            result += option_entry(option);
        }
    }
    if (!repeated.empty()) result += ".PP\nAs above: " + repeated + ".\n";
    return result;
}

// Keeps the lines of a text.
std::string preformatted(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return ".nf\n" + roff(text) + "\n.fi\n";
}

std::string command_sections(std::span<const command_path> commands) {
    std::string result;
    const auto& top = *commands.front().command;
    for (const auto& path : commands.subspan(1)) {
        result += ".SS " + roff(path.words) + "\n" + roff(path.command->about) + ".\n.PP\n"
                  + synopsis(path) + further_entries(*path.command, top);
        if (!path.command->examples.empty())
            result += ".PP\n" + preformatted(path.command->examples);
    }
    return result;
}

// The program's page lists the commands only: each has its own page.
std::string command_names(const command_description& root) {
    std::string result;
    for (const auto& subcommand : root.subcommands)
        result += ".TP\n" + bold(root.name + " " + subcommand.name) + "\n" + roff(subcommand.about)
                  + ".\n";
    return result;
}

std::string environment_entries(std::span<const command_path> commands) {
    std::map<std::string, std::string> variables;
    for (const auto& path : commands) {
        for (const auto& option : path.command->options) {
            if (!option.environment.empty() && !option.flags.empty())
                variables.emplace(option.environment, option.flags.back());
        }
    }
    std::string result;
    for (const auto& [variable, flag] : variables)
        result += ".TP\n" + bold(variable) + "\nStands in for " + bold(flag) + ".\n";
    return result;
}

std::string section(const char* title, const std::string& content) {
    return content.empty() ? "" : fmt::format(".SH {}\n{}", title, content);
}

std::string exit_code_entries(const manual_frame& frame) {
    std::string result;
    for (const auto& [number, meaning] : frame.exit_codes)
        result += ".TP\n" + bold(number) + "\n" + roff(meaning) + "\n";
    return result;
}

std::string page_name(std::string words) {
    std::ranges::replace(words, ' ', '-');
    return words;
}

}  // namespace

std::string manual_page(
    const command_description& root,
    std::span<const std::string> words,
    const manual_frame& frame) {
    auto full_name = root.name;
    for (const auto& word : words) full_name += " " + word;
    const auto paths = all_paths(root);
    const auto it = std::ranges::find(paths, full_name, &command_path::words);
    if (it == paths.end()) return "";
    // Subcommands follow their command.
    const auto end = std::find_if(it + 1, paths.end(), [&](const command_path& path) {
        return !path.words.starts_with(full_name + " ");
    });
    const std::span<const command_path> page_commands(it, end);
    auto title = page_name(full_name);
    std::ranges::transform(title, title.begin(), [](char character) {
        return character >= 'a' && character <= 'z' ? static_cast<char>(character - 'a' + 'A')
                                                    : character;
    });
    const auto& command = *it->command;
    auto page = fmt::format(
        ".TH \"{}\" 1 \"\" \"{} {}\" \"{} manual\"\n",
        roff(title),
        roff(root.name),
        roff(frame.version),
        roff(root.name));
    page += section("NAME", roff(page_name(full_name)) + " \\- " + roff(command.about) + "\n");
    page += section("SYNOPSIS", synopsis(*it));
    page += section("OPTIONS", option_entries(command));
    page +=
        section("COMMANDS", words.empty() ? command_names(root) : command_sections(page_commands));
    page += section("ENVIRONMENT", environment_entries(page_commands));
    page += section("EXIT STATUS", exit_code_entries(frame));
    if (!command.examples.empty()) page += section("EXAMPLES", preformatted(command.examples));
    if (!words.empty()) page += section("SEE ALSO", bold(root.name) + "(1)\n");
    return page;
}

}  // namespace muster::command_line

#include "apps/command_line/manual.h"

#include "apps/command_line/command_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace muster::command_line {
namespace {

// The code point that begins at `at`, which moves behind it. What is no UTF-8 is a question mark.
char32_t take_letter(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t where) {
        return where < text.size() ? static_cast<unsigned char>(text[where]) : 0U;
    };
    const auto first = byte(at++);
    if (first < 0x80U) return first;
    const int more = first >= 0xf0U ? 3 : first >= 0xe0U ? 2 : first >= 0xc0U ? 1 : 0;
    if (more == 0) return U'?';
    char32_t letter = first & (0x3fU >> static_cast<unsigned>(more));
    for (int i = 0; i < more; ++i) {
        if ((byte(at) & 0xc0U) != 0x80U) return U'?';
        letter = (letter << 6U) | (byte(at++) & 0x3fU);
    }
    return letter;
}

// As text in roff: nothing in it is a request or an escape.
std::string roff(std::string_view text) {
    std::string result;
    bool line_starts = true;
    for (std::size_t at = 0; at < text.size();) {
        const auto letter = take_letter(text, at);
        if (line_starts && (letter == U'.' || letter == U'\'')) result += "\\&";
        line_starts = letter == U'\n';
        if (letter == U'\\') {
            result += "\\e";
        } else if (letter == U'-') {
            result += "\\-";
        } else if (letter == U'\'') {
            result += "\\(aq";
        } else if (letter == U'`') {
            result += "\\(ga";
        } else if (letter < 0x80U) {
            result += static_cast<char>(letter);
        } else {
            result += fmt::format("\\[u{:04X}]", static_cast<unsigned>(letter));
        }
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string slanted(std::string_view text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string synopsis_of(const command_path& at) {
    auto line = bold(at.words);
    const bool flags = std::ranges::any_of(
        at.command->options,
        [](const described_option& described_option) { return !described_option.flags.empty(); });
    if (flags) line += " [" + slanted("FLAG") + " ...]";
    for (const auto& option : at.command->options) {
        if (option.operand.empty()) continue;
        const auto name = slanted(option.operand) + (option.many ? " ..." : "");
        line += option.required ? " " + name : " [" + name + "]";
    }
    if (!at.command->below.empty())
        line += at.command->needs_more ? " " + slanted("COMMAND") : " [" + slanted("COMMAND") + "]";
    return line + "\n";
}

std::string option_entry(const described_option& option) {
    std::string names;
    for (const auto& flag : option.flags) names += (names.empty() ? "" : ", ") + bold(flag);
    if (option.flags.empty()) {
        names = slanted(option.operand);
    } else if (!option.value.empty()) {
        names += " " + slanted(option.value);
    }
    auto about = roff(option.about);
    if (option.required) about += " (required)";
    if (!option.words.empty()) {
        about += "\n.br\nOne of:";
        for (const auto& word : option.words) about += " " + roff(word);
    }
    return ".TP\n" + names + "\n" + about + "\n";
}

std::string option_entries(const command_description& of) {
    std::string result;
    for (const auto& option : of.options) result += option_entry(option);
    return result;
}

// Without the flags that the page has told of already.
std::string further_entries(const command_description& of, const command_description& response) {
    std::string result;
    std::string others;
    for (const auto& option : of.options) {
        const bool existing =
            !option.flags.empty()
            && std::ranges::find(response.options, option) != response.options.end();
        if (existing) {
            others += (others.empty() ? "" : ", ") + bold(option.flags.back());
        } else {
            result += option_entry(option);
        }
    }
    if (!others.empty()) result += ".PP\nAs above: " + others + ".\n";
    return result;
}

// Text whose lines stay as they are.
std::string as_typed(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return ".nf\n" + roff(text) + "\n.fi\n";
}

std::string command_sections(std::span<const command_path> described) {
    std::string result;
    const auto& top = *described.front().command;
    for (const auto& each : described.subspan(1)) {
        result += ".SS " + roff(each.words) + "\n" + roff(each.command->about) + ".\n.PP\n"
                  + synopsis_of(each) + further_entries(*each.command, top);
        if (!each.command->examples.empty()) result += ".PP\n" + as_typed(each.command->examples);
    }
    return result;
}

// The whole program's page only names the commands: each has a page of its own.
std::string command_names(const command_description& root) {
    std::string result;
    for (const auto& each : root.below)
        result += ".TP\n" + bold(root.name + " " + each.name) + "\n" + roff(each.about) + ".\n";
    return result;
}

std::string environment_entries(std::span<const command_path> all) {
    std::map<std::string, std::string> matches;
    for (const auto& at : all) {
        for (const auto& option : at.command->options) {
            if (!option.environment.empty() && !option.flags.empty())
                matches.emplace(option.environment, option.flags.back());
        }
    }
    std::string result;
    for (const auto& [variable, flag] : matches)
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
    auto desired = root.name;
    for (const auto& word : words) desired += " " + word;
    const auto all = all_paths(root);
    const auto it = std::ranges::find(all, desired, &command_path::words);
    if (it == all.end()) return "";
    // Those below follow at once.
    const auto end = std::find_if(it + 1, all.end(), [&](const command_path& command_path) {
        return !command_path.words.starts_with(desired + " ");
    });
    const std::span<const command_path> described(it, end);
    auto title = page_name(desired);
    std::ranges::transform(title, title.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    const auto& command = *it->command;
    auto page = fmt::format(
        ".TH \"{}\" 1 \"\" \"{} {}\" \"{} manual\"\n",
        roff(title),
        roff(root.name),
        roff(frame.version),
        roff(root.name));
    page += section("NAME", roff(page_name(desired)) + " \\- " + roff(command.about) + "\n");
    page += section("SYNOPSIS", synopsis_of(*it));
    page += section("OPTIONS", option_entries(command));
    page += section("COMMANDS", words.empty() ? command_names(root) : command_sections(described));
    page += section("ENVIRONMENT", environment_entries(described));
    page += section("EXIT STATUS", exit_code_entries(frame));
    if (!command.examples.empty()) page += section("EXAMPLES", as_typed(command.examples));
    if (!words.empty()) page += section("SEE ALSO", bold(root.name) + "(1)\n");
    return page;
}

}  // namespace muster::command_line

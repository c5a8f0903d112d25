#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/shell_text.h"

#include <fmt/format.h>

namespace muster::command_line {
namespace {

// Which command the words before the cursor name; @ stands for the program's name.
constexpr std::string_view walk = R"(
function __@_at
    set -l at @
    set -l takes 0
    set -l given (commandline -opc)
    for word in $given[2..-1]
        if test $takes -eq 1
            set takes 0
        else if contains -- "$at $word" $__@_valued
            set takes 1
        else if contains -- "$at $word" $__@_commands
            set at "$at $word"
        end
    end
    test "$at" = "$argv"
end

)";

std::string line_for(const described_option& option, const std::string& start) {
    auto line = start;
    for (const auto& flag : option.flags)
        line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    const auto words = plain_words(option.words);
    if (option.takes_file()) {
        line += " -r -F";
    } else if (!option.value.empty()) {
        line += " -x";
    }
    if (!words.empty()) line += " -a " + fish_quoted(spaced(words));
    return line + " -d " + fish_quoted(first_line(option.about)) + "\n";
}

std::string lines_for(const command_path& at, const std::string& name) {
    const auto start =
        fmt::format("complete -c {} -n {}", name, fish_quoted("__" + name + "_at " + at.words));
    std::string result;
    for (const auto& each : at.command->below)
        result += fmt::format(
            "{} -a {} -d {}\n", start, fish_quoted(each.name), fish_quoted(first_line(each.about)));
    for (const auto& option : at.command->options) {
        if (!option.flags.empty()) result += line_for(option, start);
        if (option.operand.empty()) continue;
        if (option.takes_file()) result += start + " -F\n";
        if (const auto words = plain_words(option.words); !words.empty())
            result += start + " -a " + fish_quoted(spaced(words)) + "\n";
    }
    return result;
}

}  // namespace

std::string fish_completion(const command_description& root) {
    std::string commands;
    std::string valued;
    std::string lines;
    for (const auto& each : all_paths(root)) {
        commands += " \\\n    " + fish_quoted(each.words);
        for (const auto& flag : flags_with_value(*each.command))
            valued += " \\\n    " + fish_quoted(each.words + " " + flag);
        lines += lines_for(each, root.name);
    }
    return fmt::format(
               "# Completes the words of {0} in fish. Made by: {0} completion fish\n\n"
               "set -g __{0}_commands{1}\n\nset -g __{0}_valued{2}\n",
               root.name,
               commands,
               valued)
           + with_name(walk, root.name) + "complete -c " + root.name + " -f\n" + lines;
}

}  // namespace muster::command_line

#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/shell_text.h"

#include <fmt/format.h>

namespace muster::command_line {
namespace {

// Finds the command before the cursor; @ is replaced by the program's name.
constexpr std::string_view functions = R"(
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

std::string option_line(const option_description& option, const std::string& start) {
    auto line = start;
    for (const auto& flag : option.flags)
        line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    const auto words = safe_words(option.words);
    if (option.takes_file()) {
        line += " -r -F";
    } else if (!option.value.empty()) {
        line += " -x";
    }
    if (!words.empty()) line += " -a " + quote_for_fish(join_words(words));
    return line + " -d " + quote_for_fish(first_line(option.about)) + "\n";
}

std::string command_lines(const command_path& path, const std::string& name) {
    const auto start = fmt::format(
        "complete -c {} -n {}", name, quote_for_fish("__" + name + "_at " + path.words));
    std::string result;
    for (const auto& subcommand : path.command->subcommands)
        result += fmt::format(
            "{} -a {} -d {}\n",
            start,
            quote_for_fish(subcommand.name),
            quote_for_fish(first_line(subcommand.about)));
    for (const auto& option : path.command->options) {
        if (!option.flags.empty()) result += option_line(option, start);
        if (option.operand.empty()) continue;
        if (option.takes_file()) result += start + " -F\n";
        if (const auto words = safe_words(option.words); !words.empty())
            result += start + " -a " + quote_for_fish(join_words(words)) + "\n";
    }
    return result;
}

}  // namespace

std::string fish_completion(const command_description& root) {
    std::string commands;
    std::string valued;
    std::string lines;
    for (const auto& path : all_paths(root)) {
        commands += " \\\n    " + quote_for_fish(path.words);
        for (const auto& flag : flags_with_value(*path.command))
            valued += " \\\n    " + quote_for_fish(path.words + " " + flag);
        lines += command_lines(path, root.name);
    }
    return fmt::format(
               "# Completes the words of {0} in fish. Made by: {0} completion fish\n\n"
               "set -g __{0}_commands{1}\n\nset -g __{0}_valued{2}\n",
               root.name,
               commands,
               valued)
           + insert_name(functions, root.name) + "complete -c " + root.name + " -f\n" + lines;
}

}  // namespace muster::command_line

#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/shell_text.h"

#include <fmt/format.h>

namespace muster::command_line {
namespace {

// @ is replaced by the program's name. The last lines support both autoloading and `source`.
constexpr std::string_view functions = R"(
_@() {
    local at='@' takes='' word i
    local -a below flags valued names values
    _@_command "$at"
    for ((i = 2; i < CURRENT; i++)); do
        word="${words[i]}"
        if [[ -n $takes ]]; then
            takes=''
        elif [[ $word == '--' ]]; then
            _default
            return
        elif [[ $word == -* ]]; then
            if (( ${valued[(Ie)$word]} )); then takes="$word"; fi
        elif (( ${names[(Ie)$word]} )); then
            at+=" $word"
            _@_command "$at"
        fi
    done
    if [[ -z $takes && ${words[CURRENT]} == --*=* ]]; then
        takes="${words[CURRENT]%%=*}"
        compset -P '*='
    fi
    if [[ -z $takes && ${words[CURRENT]} == -* ]]; then
        _describe -o 'flag' flags
        return
    fi
    if [[ -z $takes && ${#below} -gt 0 ]]; then
        _describe 'command' below
        return
    fi
    _@_values "$at${takes:+ $takes}"
    if [[ ${values[1]} == '<file>' ]]; then
        _files
    elif [[ ${#values} -gt 0 ]]; then
        compadd -a values
    fi
}

if [[ ${funcstack[1]} == _@ ]]; then
    _@ "$@"
else
    compdef _@ @
fi
)";

std::string array_assignment(const char* name, const std::vector<std::string>& items) {
    std::string result = fmt::format("            {}=(", name);
    for (const auto& item : items) result += "\n                " + quote_for_shell(item);
    return result + ")\n";
}

std::string command_arm(const command_path& path) {
    std::vector<std::string> subcommands;
    std::vector<std::string> names;
    for (const auto& subcommand : path.command->subcommands) {
        subcommands.push_back(subcommand.name + ":" + first_line(subcommand.about));
        names.push_back(subcommand.name);
    }
    std::vector<std::string> flags;
    for (const auto& option : path.command->options) {
        for (const auto& flag : option.flags)
            flags.push_back(flag + ":" + first_line(option.about));
    }
    return fmt::format("        {})\n", quote_for_shell(path.words))
           + array_assignment("below", subcommands) + array_assignment("names", names)
           + array_assignment("flags", flags)
           + array_assignment("valued", flags_with_value(*path.command)) + "            ;;\n";
}

std::string value_arms(const command_path& path) {
    std::string result;
    for (const auto& option : path.command->options) {
        const auto values =
            option.takes_file() ? std::vector<std::string>{"<file>"} : safe_words(option.words);
        if (values.empty()) continue;
        auto patterns = option.flags;
        for (auto& pattern : patterns) pattern = path.words + " " + pattern;
        if (!option.operand.empty()) patterns.push_back(path.words);
        for (const auto& pattern : patterns)
            result += fmt::format("        {})\n", quote_for_shell(pattern))
                      + array_assignment("values", values) + "            ;;\n";
    }
    return result;
}

}  // namespace

std::string zsh_completion(const command_description& root) {
    std::string commands;
    std::string values;
    for (const auto& path : all_paths(root)) {
        commands += command_arm(path);
        values += value_arms(path);
    }
    auto result = fmt::format(
        "#compdef {0}\n"
        "# Completes the words of {0} in zsh. Made by: {0} completion zsh\n\n"
        "# What can follow a command.\n"
        "_{0}_command() {{\n    case \"$1\" in\n{1}    esac\n}}\n\n"
        "# What a flag or an operand can be.\n"
        "_{0}_values() {{\n    values=()\n    case \"$1\" in\n{2}    esac\n}}\n",
        root.name,
        commands,
        values);
    return result + insert_name(functions, root.name);
}

}  // namespace muster::command_line

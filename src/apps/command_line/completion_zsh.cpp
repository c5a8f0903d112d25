#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/shell_text.h"

#include <fmt/format.h>

namespace muster::command_line {
namespace {

// @ stands for the program's name. The last lines serve both ways of use: found by the shell in
// its path of functions, and read by `source`.
constexpr std::string_view walk = R"(
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

std::string list_of(const char* name, const std::vector<std::string>& items) {
    std::string result = fmt::format("            {}=(", name);
    for (const auto& item : items) result += "\n                " + shell_quoted(item);
    return result + ")\n";
}

std::string arm_of(const command_path& at) {
    std::vector<std::string> below;
    std::vector<std::string> names;
    for (const auto& each : at.command->below) {
        below.push_back(each.name + ":" + first_line(each.about));
        names.push_back(each.name);
    }
    std::vector<std::string> flags;
    for (const auto& option : at.command->options) {
        for (const auto& flag : option.flags)
            flags.push_back(flag + ":" + first_line(option.about));
    }
    return fmt::format("        {})\n", shell_quoted(at.words)) + list_of("below", below)
           + list_of("names", names) + list_of("flags", flags)
           + list_of("valued", flags_with_value(*at.command)) + "            ;;\n";
}

std::string value_arms_of(const command_path& at) {
    std::string result;
    for (const auto& option : at.command->options) {
        const auto values =
            option.takes_file() ? std::vector<std::string>{"<file>"} : plain_words(option.words);
        if (values.empty()) continue;
        auto places = option.flags;
        for (auto& place : places) place = at.words + " " + place;
        if (!option.operand.empty()) places.push_back(at.words);
        for (const auto& place : places)
            result += fmt::format("        {})\n", shell_quoted(place)) + list_of("values", values)
                      + "            ;;\n";
    }
    return result;
}

}  // namespace

std::string zsh_completion(const command_description& root) {
    std::string commands;
    std::string values;
    for (const auto& each : all_paths(root)) {
        commands += arm_of(each);
        values += value_arms_of(each);
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
    return result + with_name(walk, root.name);
}

}  // namespace muster::command_line

#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/shell_text.h"

#include <fmt/format.h>

namespace muster::command_line {
namespace {

// @ is replaced by the program's name. Bash splits `--output=json` into three words.
constexpr std::string_view functions = R"(
_@() {
    local current="${COMP_WORDS[COMP_CWORD]}" at='@' takes='' word below flags valued values i
    COMPREPLY=()
    _@_command "$at"
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ $word == '=' ]]; then
            continue
        elif [[ -n $takes ]]; then
            takes=''
        elif [[ $word == '--' ]]; then
            compopt -o default
            return
        elif [[ $word == -* ]]; then
            if [[ " $valued " == *" $word "* ]]; then takes="$word"; fi
        elif [[ " $below " == *" $word "* ]]; then
            at+=" $word"
            _@_command "$at"
        fi
    done
    if [[ $current == '=' ]]; then current=''; fi
    if [[ -n $takes ]]; then
        _@_values "$at $takes"
        if [[ $values == '<file>' ]]; then
            compopt -o default
        else
            mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
        fi
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    elif [[ -n $below ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$below" -- "$current")
    else
        _@_values "$at"
        if [[ $values == '<file>' ]]; then
            compopt -o default
        else
            mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
        fi
    fi
}
complete -F _@ @
)";

std::string command_arm(const command_path& path) {
    std::vector<std::string> subcommands;
    for (const auto& subcommand : path.command->subcommands) subcommands.push_back(subcommand.name);
    std::vector<std::string> flags;
    for (const auto& option : path.command->options)
        flags.insert(flags.end(), option.flags.begin(), option.flags.end());
    return fmt::format(
        "        {})\n            below={}\n            flags={}\n            valued={}\n"
        "            ;;\n",
        quote_for_shell(path.words),
        quote_for_shell(join_words(subcommands)),
        quote_for_shell(join_words(flags)),
        quote_for_shell(join_words(flags_with_value(*path.command))));
}

std::string value_arms(const command_path& path) {
    std::string result;
    for (const auto& option : path.command->options) {
        const auto values =
            option.takes_file() ? std::string("<file>") : join_words(safe_words(option.words));
        if (values.empty()) continue;
        std::string patterns;
        for (const auto& flag : option.flags)
            patterns += (patterns.empty() ? "" : " | ") + quote_for_shell(path.words + " " + flag);
        if (!option.operand.empty())
            patterns += (patterns.empty() ? "" : " | ") + quote_for_shell(path.words);
        result += fmt::format("        {}) values={} ;;\n", patterns, quote_for_shell(values));
    }
    return result;
}

}  // namespace

std::string bash_completion(const command_description& root) {
    std::string commands;
    std::string values;
    for (const auto& path : all_paths(root)) {
        commands += command_arm(path);
        values += value_arms(path);
    }
    auto result = fmt::format(
        "# Completes the words of {0} in bash. Made by: {0} completion bash\n\n"
        "# What can follow a command.\n"
        "_{0}_command() {{\n    case \"$1\" in\n{1}    esac\n}}\n\n"
        "# What a flag or an operand can be.\n"
        "_{0}_values() {{\n    values=''\n    case \"$1\" in\n{2}        *) ;;\n    esac\n}}\n",
        root.name,
        commands,
        values);
    return result + insert_name(functions, root.name);
}

}  // namespace muster::command_line

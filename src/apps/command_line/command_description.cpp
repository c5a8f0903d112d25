#include "apps/command_line/command_description.h"

#include "apps/command_line/command.h"

#include <CLI/CLI.hpp>

#include <utility>

namespace muster::command_line {
namespace {

option_description describe_option(const CLI::Option& native) {
    option_description result;
    for (const auto& sname : native.get_snames()) result.flags.push_back("-" + sname);
    for (const auto& lname : native.get_lnames()) result.flags.push_back("--" + lname);
    result.about = native.get_description();
    result.environment = native.get_envname();
    result.required = native.get_required();
    result.many = native.get_items_expected_max() > 1;
    if (native.get_items_expected_max() > 0) result.value = native.get_type_name();
    if (!native.get_positional()) return result;
    result.operand = result.value;
    // Without a type name, the operand has its declared name.
    if (result.operand.empty() || result.operand == "TEXT") result.operand = native.get_name(true);
    return result;
}

void add_paths(
    const command_description& command,
    const std::string& prefix,
    std::vector<command_path>& paths) {
    const auto words = prefix.empty() ? command.name : prefix + " " + command.name;
    paths.push_back({.words = words, .command = &command});
    for (const auto& subcommand : command.subcommands) add_paths(subcommand, words, paths);
}

}  // namespace

bool option_description::takes_file() const {
    return value.starts_with("FILE");
}

command_description describe(const command& command) {
    const auto& native = command.native();
    command_description result{
        .name = native.get_name(),
        .about = native.get_description(),
        .examples = native.get_footer(),
        .needs_subcommand = native.get_require_subcommand_min() > 0,
        .options = {},
        .subcommands = {}};
    if (const auto* help = native.get_help_ptr()) result.options.push_back(describe_option(*help));
    if (const auto* version = native.get_version_ptr())
        result.options.push_back(describe_option(*version));
    for (const auto& option : command.options()) {
        auto& added = result.options.emplace_back(describe_option(option->native()));
        added.words = option->words();
    }
    for (const auto& subcommand : command.subcommands())
        result.subcommands.push_back(describe(*subcommand));
    return result;
}

std::vector<command_path> all_paths(const command_description& root) {
    std::vector<command_path> paths;
    add_paths(root, "", paths);
    return paths;
}

}  // namespace muster::command_line

#include "apps/command_line/command_description.h"

#include "apps/command_line/command.h"

#include <CLI/CLI.hpp>

#include <utility>

namespace muster::command_line {
namespace {

described_option described(const CLI::Option& from) {
    described_option result;
    for (const auto& sname : from.get_snames()) result.flags.push_back("-" + sname);
    for (const auto& lname : from.get_lnames()) result.flags.push_back("--" + lname);
    result.about = from.get_description();
    result.environment = from.get_envname();
    result.required = from.get_required();
    result.many = from.get_items_expected_max() > 1;
    if (from.get_items_expected_max() > 0) result.value = from.get_type_name();
    if (!from.get_positional()) return result;
    result.operand = result.value;
    // Without a name of its own it is called as it was declared.
    if (result.operand.empty() || result.operand == "TEXT") result.operand = from.get_name(true);
    return result;
}

void add_paths(
    const command_description& from, const std::string& ahead, std::vector<command_path>& into) {
    const auto words = ahead.empty() ? from.name : ahead + " " + from.name;
    into.push_back({.words = words, .command = &from});
    for (const auto& each : from.below) add_paths(each, words, into);
}

}  // namespace

bool described_option::takes_file() const {
    return value.starts_with("FILE");
}

command_description describe(const command& from) {
    const auto& under = from.under();
    command_description result{
        .name = under.get_name(),
        .about = under.get_description(),
        .examples = under.get_footer(),
        .needs_more = under.get_require_subcommand_min() > 0,
        .options = {},
        .below = {}};
    if (const auto* help = under.get_help_ptr()) result.options.push_back(described(*help));
    for (const auto& option : from.options()) {
        auto& added = result.options.emplace_back(described(option->under()));
        added.words = option->words();
    }
    for (const auto& each : from.below()) result.below.push_back(describe(*each));
    return result;
}

std::vector<command_path> all_paths(const command_description& root) {
    std::vector<command_path> all;
    add_paths(root, "", all);
    return all;
}

}  // namespace muster::command_line

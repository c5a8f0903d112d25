#include "apps/command_line/described.h"

#include "apps/command_line/command.h"

#include <CLI/CLI.hpp>

#include <utility>

namespace muster::command_line {
namespace {

described_option described(const CLI::Option& from) {
    described_option made;
    for (const auto& each : from.get_snames()) made.flags.push_back("-" + each);
    for (const auto& each : from.get_lnames()) made.flags.push_back("--" + each);
    made.about = from.get_description();
    made.environment = from.get_envname();
    made.required = from.get_required();
    made.many = from.get_items_expected_max() > 1;
    if (from.get_items_expected_max() > 0) made.value = from.get_type_name();
    if (!from.get_positional()) return made;
    made.operand = made.value;
    // Without a name of its own it is called as it was declared.
    if (made.operand.empty() || made.operand == "TEXT") made.operand = from.get_name(true);
    return made;
}

void add_paths(
    const described_command& from, const std::string& ahead, std::vector<command_path>& into) {
    const auto words = ahead.empty() ? from.name : ahead + " " + from.name;
    into.push_back({.words = words, .command = &from});
    for (const auto& each : from.below) add_paths(each, words, into);
}

}  // namespace

bool described_option::takes_file() const {
    return value.starts_with("FILE");
}

described_command describe(const command& from) {
    const auto& under = from.under();
    described_command made{
        .name = under.get_name(),
        .about = under.get_description(),
        .examples = under.get_footer(),
        .needs_more = under.get_require_subcommand_min() > 0,
        .options = {},
        .below = {}};
    if (const auto* help = under.get_help_ptr()) made.options.push_back(described(*help));
    for (const auto& each : from.options()) {
        auto& added = made.options.emplace_back(described(each->under()));
        added.words = each->words();
    }
    for (const auto& each : from.below()) made.below.push_back(describe(*each));
    return made;
}

std::vector<command_path> all_paths(const described_command& root) {
    std::vector<command_path> all;
    add_paths(root, "", all);
    return all;
}

}  // namespace muster::command_line

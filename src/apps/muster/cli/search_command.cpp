#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/facts_file.h"
#include "apps/muster/cli/system_verbs.h"
#include "core/targeting/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

constexpr auto examples =
    "Examples:\n"
    "  muster search 'tag:db and os:Debian and not zone:munich'\n"
    "  muster search 'G@os:Debian and E@web\\d+ and S@10.1.0.0/16' -o json\n"
    "  muster search 'group:shop' --columns number,name,node --limit 50\n"
    "  muster search 'web*' --count                        count matching systems\n"
    "  muster search --match web1 --facts web1.yaml 'G@os:Debian'\n"
    "                                                      offline, no cluster needed\n\n"
    "Exit codes with --match: 0 match, 1 no match, 2 invalid expression\n";

struct search_flags {
    api_flags api;
    std::vector<std::string> words;
    std::size_t limit = 1000;
    std::vector<std::string> columns{"number", "name", "state", "zone", "node", "tags"};
    bool count = false;
    bool compound = false;
    std::string name;  // of the system to match offline
    std::string facts;
    std::vector<std::string> groups;  // NAME=EXPRESSION
};

// A system with only a name and facts.
class offline_system final : public targeting::subject {
public:
    offline_system(std::string name, std::vector<targeting::fact> facts)
        : name_(std::move(name)), facts_(std::move(facts)) {}

    std::string_view name() const override { return name_; }
    bool has(targeting::field field, const targeting::text_pattern& pattern) const override {
        return field == targeting::field::name && pattern.matches(name_);
    }
    std::span<const targeting::fact> facts() const override { return facts_; }

private:
    std::string name_;
    std::vector<targeting::fact> facts_;
};

// Prints the expression with a caret under the error.
exit_code print_parse_error(const std::string& expression, const error& failure) {
    fmt::print(stderr, "muster search: {}\n", failure.detail());
    const auto position = targeting::position_of(failure);
    if (!position) return exit_code::usage;
    std::string shown = expression;
    std::ranges::replace_if(
        shown, [](char letter) { return letter == '\n' || letter == '\t'; }, ' ');
    // A multi-byte letter takes one column.
    const auto text_before = std::string_view(shown).substr(0, *position - 1);
    const auto width = std::ranges::count_if(text_before, [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xc0U) != 0x80U;
    });
    fmt::print(stderr, "  {}\n  {}^\n", shown, std::string(static_cast<std::size_t>(width), ' '));
    return exit_code::usage;
}

targeting::group_source read_groups(const std::vector<std::string>& definitions) {
    std::map<std::string, std::string> groups;
    for (const auto& definition : definitions) {
        const auto separator = definition.find('=');
        if (separator != std::string::npos)
            groups[definition.substr(0, separator)] = definition.substr(separator + 1);
    }
    return [groups = std::move(groups)](const std::string& name) {
        const auto it = groups.find(name);
        return it == groups.end() ? std::optional<std::string>() : std::optional(it->second);
    };
}

exit_code match_offline(const search_flags& flags) {
    const auto expression = join_words(flags.words);
    const auto language =
        flags.compound ? targeting::dialect::compound : targeting::dialect::automatic;
    const auto parsed = targeting::query::parse(
        expression, {.language = language, .groups = read_groups(flags.groups)});
    if (!parsed) return print_parse_error(expression, parsed.error());
    std::vector<targeting::fact> facts;
    if (!flags.facts.empty()) {
        auto loaded = read_facts_file(flags.facts);
        if (!loaded) {
            fmt::print(stderr, "muster search: {}\n", loaded.error().detail());
            return exit_code::usage;
        }
        facts = *std::move(loaded);
    }
    const bool matches = parsed->matches(offline_system(flags.name, std::move(facts)));
    if (const auto effort = parsed->check_effort(); !effort)
        return print_parse_error(expression, effort.error());
    for (const auto& note : parsed->notes()) fmt::print(stderr, "muster search: {}\n", note);
    fmt::print("{}\n", matches ? "matches" : "does not match");
    return matches ? exit_code::ok : exit_code::failed;
}

exit_code run_search(const search_flags& flags) {
    if (!flags.name.empty()) return match_offline(flags);
    if (!flags.facts.empty() || !flags.groups.empty() || flags.compound) {
        fmt::print(stderr, "muster search: --facts, --group and --compound require --match NAME\n");
        return exit_code::usage;
    }
    // Syntax errors are shown here with a caret. Only the cluster knows the groups.
    const auto expression = join_words(flags.words);
    const auto any_group = [](const std::string&) -> std::optional<std::string> {
        return "*";
    };
    const auto parsed = targeting::query::parse(expression, {.groups = any_group});
    if (!parsed) return print_parse_error(expression, parsed.error());
    if (flags.count)
        return print_response(
            "search",
            flags.api,
            {.path = "/api/v1/systems/count?q=" + path_segment(expression)},
            {});
    return print_list(
        flags.api,
        {.command = "search",
         .path = "/api/v1/systems",
         .words = flags.words,
         .limit = flags.limit,
         .columns = flags.columns});
}

}  // namespace

void add_search(command_line::command& root, action& chosen) {
    auto* command = root.add_subcommand("search", "Find systems by a query");
    const auto flags = std::make_shared<search_flags>();
    add_client_flags(*command, flags->api.client);
    add_output_flag(*command, flags->api.format);
    command->footer(examples);
    command->add_option("query", flags->words, "Query for the systems (docs/howto/find_systems.md)")
        ->required()
        ->type_name("QUERY");
    command->add_option("--limit", flags->limit, "Maximum number of systems (default 1000)")
        ->type_name("NUMBER");
    command->add_option("--columns", flags->columns, "Columns of the table, comma-separated")
        ->delimiter(',')
        ->type_name("NAME,…");
    command->add_flag("--count", flags->count, "Print only the number of matching systems");
    command
        ->add_option(
            "--match", flags->name, "Name of a system to match offline, without the cluster")
        ->type_name("NAME");
    command
        ->add_option(
            "--facts",
            flags->facts,
            "File with the facts of the system, JSON or YAML (requires --match)")
        ->type_name("FILE");
    command
        ->add_option(
            "--group", flags->groups, "Definition of a group; may be repeated (requires --match)")
        ->type_name("NAME=QUERY");
    command->add_flag(
        "--compound", flags->compound, "Parse the query exactly as Salt does (requires --match)");
    command->callback([&chosen, flags] {
        chosen = [flags] {
            return run_search(*flags);
        };
    });
}

}  // namespace muster::cli

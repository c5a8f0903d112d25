#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster groups                                     all saved groups\n"
    "  muster groups add shop 'tag:web and zone:munich' --description 'the shop in Munich'\n"
    "  muster groups add pair 'web1 web2'                just these two\n"
    "  muster groups set shop 'N@pair or tag:web'        groups may name groups\n"
    "  muster search 'N@shop and not state:onboarded'    use it\n"
    "  muster groups remove shop\n";

struct groups_flags {
    api_flags api;
    std::string name;
    std::vector<std::string> words;
    std::string description;
};

std::string path_of(const groups_flags& flags) {
    return "/api/v1/groups/" + path_segment(flags.name);
}

json::object body_of(const groups_flags& flags) {
    return {{"expression", joined(flags.words)}, {"description", flags.description}};
}

exit_code list_groups(const groups_flags& flags) {
    return print_answer(
        "groups",
        flags.api,
        {.path = "/api/v1/groups"},
        {"name", "expression", "description", "changed_by", "changed"});
}

exit_code show_group(const groups_flags& flags) {
    return print_answer("groups show", flags.api, {.path = path_of(flags)}, {});
}

exit_code add_group(const groups_flags& flags) {
    auto body = body_of(flags);
    body.emplace("name", flags.name);
    return print_answer(
        "groups add",
        flags.api,
        {.method = "POST", .path = "/api/v1/groups", .body = std::move(body)},
        {});
}

exit_code set_group(const groups_flags& flags) {
    return print_answer(
        "groups set",
        flags.api,
        {.method = "PUT", .path = path_of(flags), .body = body_of(flags)},
        {});
}

exit_code remove_group(const groups_flags& flags) {
    return print_answer(
        "groups remove", flags.api, {.method = "DELETE", .path = path_of(flags)}, {});
}

}  // namespace

void add_groups(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<groups_flags>();
    auto* noun = add_listing_noun(
                     root,
                     {"groups", "List and change saved groups of systems", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_groups(*flags); })
                     .noun;
    using verb = verb_of<groups_flags>;
    for (const auto& each :
         {verb{"show", "Show one group", show_group, "muster groups show shop"},
          verb{"add", "Save a group", add_group, "muster groups add shop 'tag:web'"},
          verb{
              "set",
              "Save a group, also in place of an older one",
              set_group,
              "muster groups set shop 'tag:web and zone:munich'"},
          verb{"remove", "Remove a group", remove_group, "muster groups remove shop"}}) {
        auto* added = add_verb_of(*noun, flags, chosen, each);
        added->add_option("name", flags->name, "Which group")->required()->type_name("GROUP");
        if (each.run != add_group && each.run != set_group) continue;
        added->add_option("query", flags->words, "Whom it means (docs/targeting.md)")
            ->required()
            ->type_name("QUERY");
        added->add_option("--description", flags->description, "What it is for, for people")
            ->type_name("TEXT");
    }
}

}  // namespace muster::cli

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
    "  muster groups                                     list all groups\n"
    "  muster groups add shop 'tag:web and zone:munich' --description 'the shop in Munich'\n"
    "  muster groups add pair 'web1 web2'                a group of two systems\n"
    "  muster groups set shop 'N@pair or tag:web'        a group that includes another group\n"
    "  muster search 'N@shop and not state:onboarded'    search with a group\n"
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

json::object to_body(const groups_flags& flags) {
    return {{"expression", join_words(flags.words)}, {"description", flags.description}};
}

exit_code list_groups(const groups_flags& flags) {
    return print_response(
        "groups",
        flags.api,
        {.path = "/api/v1/groups"},
        {"name", "expression", "description", "changed_by", "changed"});
}

exit_code show_group(const groups_flags& flags) {
    return print_response("groups show", flags.api, {.path = path_of(flags)}, {});
}

exit_code add_group(const groups_flags& flags) {
    auto body = to_body(flags);
    body.emplace("name", flags.name);
    return print_response(
        "groups add",
        flags.api,
        {.method = "POST", .path = "/api/v1/groups", .body = std::move(body)},
        {});
}

exit_code set_group(const groups_flags& flags) {
    return print_response(
        "groups set",
        flags.api,
        {.method = "PUT", .path = path_of(flags), .body = to_body(flags)},
        {});
}

exit_code remove_group(const groups_flags& flags) {
    return print_response(
        "groups remove", flags.api, {.method = "DELETE", .path = path_of(flags)}, {});
}

}  // namespace

void add_groups(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<groups_flags>();
    auto* noun = add_list_command(
                     root,
                     {"groups", "Manage groups of systems", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_groups(*flags); })
                     .noun;
    using verb = verb_spec<groups_flags>;
    for (const auto& spec :
         {verb{"show", "Show a group", show_group, "muster groups show shop"},
          verb{"add", "Create a group", add_group, "muster groups add shop 'tag:web'"},
          verb{
              "set",
              "Create or replace a group",
              set_group,
              "muster groups set shop 'tag:web and zone:munich'"},
          verb{"remove", "Remove a group", remove_group, "muster groups remove shop"}}) {
        auto* command = add_verb_spec(*noun, flags, chosen, spec);
        command->add_option("name", flags->name, "Group name")->required()->type_name("GROUP");
        if (spec.run != add_group && spec.run != set_group) continue;
        command
            ->add_option(
                "query",
                flags->words,
                "Query that selects the systems (docs/howto/find_systems.md)")
            ->required()
            ->type_name("QUERY");
        command->add_option("--description", flags->description, "Description")->type_name("TEXT");
    }
}

}  // namespace muster::cli

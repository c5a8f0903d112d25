#include "apps/command_line/command.h"
#include "apps/muster/cli/api_verb.h"
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

struct group_verb {
    const char* name;
    const char* what;
    exit_code (*run)(const groups_flags&);
    bool defines;
};

void add_group_verb(
    command_line::command& noun,
    const std::shared_ptr<groups_flags>& flags,
    action& chosen,
    const group_verb& wanted) {
    auto* verb =
        add_verb(noun, wanted.name, wanted.what, flags->api, chosen, [flags, run = wanted.run] {
            return run(*flags);
        });
    verb->add_option("name", flags->name, "Which group")->required()->type_name("GROUP");
    if (!wanted.defines) return;
    verb->add_option("query", flags->words, "Whom it means (docs/targeting.md)")
        ->required()
        ->type_name("QUERY");
    verb->add_option("--description", flags->description, "What it is for, for people")
        ->type_name("TEXT");
}

}  // namespace

void add_groups(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("groups", "List and change saved groups of systems");
    const auto flags = std::make_shared<groups_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    add_verb(*noun, "list", "List the groups", flags->api, chosen, [flags] {
        return list_groups(*flags);
    });
    for (const auto& each :
         {group_verb{"show", "Show one group", show_group, false},
          group_verb{"add", "Save a group", add_group, true},
          group_verb{"set", "Save a group, also in place of an older one", set_group, true},
          group_verb{"remove", "Remove a group", remove_group, false}})
        add_group_verb(*noun, flags, chosen, each);
    noun->callback([&chosen, flags, noun] {
        if (noun->subcommand_chosen()) return;
        chosen = [flags] {
            return list_groups(*flags);
        };
    });
}

}  // namespace muster::cli

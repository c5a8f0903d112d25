#include "apps/command_line/command.h"
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
    "  muster systems                                      list all systems\n"
    "  muster systems list 'tag:db and not state:onboarded' -o json\n"
    "  muster systems show web1.acme.org                   by name, number or fingerprint\n"
    "  muster systems running web1.acme.org                list its running tasks\n"
    "  muster systems history web1.acme.org --since -2d    list its presence history\n"
    "  muster systems tag 'zone:munich' --tag shop --untag test\n"
    "  muster systems move 'name:web*' --zone berlin\n"
    "  muster systems unregister number:17                 disconnect; the agent attaches again\n"
    "  muster systems delete de:ad:be:ef:…                 ban a system permanently\n";

struct systems_flags : query_flags {
    std::string system;
    std::string since;
    std::string until = "now";
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> tags_removed;
    std::vector<std::string> groups;
    std::vector<std::string> groups_removed;
};

exit_code list_systems(const systems_flags& flags) {
    return print_list(
        flags.api,
        {.command = "systems",
         .path = "/api/v1/systems",
         .words = flags.words,
         .limit = flags.limit,
         .columns = {"number", "name", "state", "zone", "node", "tags", "last_seen"}});
}

exit_code show_system(const systems_flags& flags) {
    return print_response(
        "systems show", flags.api, {.path = "/api/v1/systems/" + path_segment(flags.system)}, {});
}

exit_code show_running(const systems_flags& flags) {
    return print_response(
        "systems running",
        flags.api,
        {.path = "/api/v1/systems/" + path_segment(flags.system) + "/running"},
        {"job", "attempt", "function", "since", "running"});
}

exit_code show_history(const systems_flags& flags) {
    auto path = "/api/v1/systems/" + path_segment(flags.system)
                + "/history?until=" + path_segment(flags.until);
    if (!flags.since.empty()) path += "&since=" + path_segment(flags.since);
    return print_list(
        flags.api,
        {.command = "systems history",
         .path = path,
         .words = {},
         .limit = flags.limit,
         .columns = {"from", "until", "state", "node", "reason"}});
}

exit_code change(const systems_flags& flags, const std::string& verb, json::object members) {
    return run_bulk_change(
        flags.api,
        {.command = "systems " + verb,
         .path = "/api/v1/systems/" + verb,
         .list_path = "/api/v1/systems",
         .words = flags.words,
         .members = std::move(members),
         .confirmed = flags.yes});
}

exit_code move_systems(const systems_flags& flags) {
    return change(flags, "move", {{"zone", flags.zone}});
}

exit_code unregister_systems(const systems_flags& flags) {
    return change(flags, "unregister", {});
}

exit_code delete_systems(const systems_flags& flags) {
    return change(flags, "delete", {});
}

exit_code tag_systems(const systems_flags& flags) {
    return change(
        flags,
        "label",
        {{"tags", json_list(flags.tags)},
         {"tags_removed", json_list(flags.tags_removed)},
         {"groups", json_list(flags.groups)},
         {"groups_removed", json_list(flags.groups_removed)}});
}

void add_label_flags(command_line::command& verb, systems_flags& flags) {
    verb.add_option("--tag", flags.tags, "Tag to add; may be repeated")->type_name("TAG");
    verb.add_option("--untag", flags.tags_removed, "Tag to remove; may be repeated")
        ->type_name("TAG");
    verb.add_option("--group", flags.groups, "Group to join; may be repeated")->type_name("GROUP");
    verb.add_option("--ungroup", flags.groups_removed, "Group to leave; may be repeated")
        ->type_name("GROUP");
}

void add_history(
    command_line::command& noun, const std::shared_ptr<systems_flags>& flags, action& chosen) {
    auto* history = add_verb(
        noun, "history", "List the presence history of a system", flags->api, chosen, [flags] {
            return show_history(*flags);
        });
    history->add_option("system", flags->system, "Number, fingerprint or name of the system")
        ->required()
        ->type_name("SYSTEM");
    history
        ->add_option(
            "--since", flags->since, "Start of the period: a time, or an offset such as -2d")
        ->type_name("TIME");
    history
        ->add_option(
            "--until", flags->until, "End of the period: a time or an offset (default now)")
        ->type_name("TIME");
    history->add_option("--limit", flags->limit, "Maximum number of entries (default 1000)")
        ->type_name("NUMBER");
}

}  // namespace

void add_systems(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("systems", "Manage systems");
    const auto flags = std::make_shared<systems_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    auto* list = add_verb(*noun, "list", "List systems", flags->api, chosen, [flags] {
        return list_systems(*flags);
    });
    list->add_option("query", flags->words, "Systems to list (default: all)")->type_name("QUERY");
    list->add_option("--limit", flags->limit, "Maximum number of systems (default 1000)")
        ->type_name("NUMBER");
    auto* show = add_verb(*noun, "show", "Show a system", flags->api, chosen, [flags] {
        return show_system(*flags);
    });
    show->add_option("system", flags->system, "Number, fingerprint or name of the system")
        ->required()
        ->type_name("SYSTEM");
    auto* running = add_verb(
        *noun, "running", "List the running tasks of a system", flags->api, chosen, [flags] {
            return show_running(*flags);
        });
    running->add_option("system", flags->system, "Number, fingerprint or name of the system")
        ->required()
        ->type_name("SYSTEM");
    add_history(*noun, flags, chosen);
    add_query_verb(*noun, flags, chosen, {"move", "Move systems to another zone", move_systems})
        ->add_option("--zone", flags->zone, "Target zone")
        ->required()
        ->type_name("ZONE");
    add_label_flags(
        *add_query_verb(
            *noun, flags, chosen, {"tag", "Change tags and groups of systems", tag_systems}),
        *flags);
    add_query_verb(
        *noun,
        flags,
        chosen,
        {"unregister",
         "Disconnect systems from their nodes; their agents attach again",
         unregister_systems});
    add_query_verb(
        *noun,
        flags,
        chosen,
        {"delete", "Delete systems and ban them permanently", delete_systems});
    noun->default_subcommand("list");
}

}  // namespace muster::cli

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
    "  muster systems                                      the whole fleet\n"
    "  muster systems list 'tag:db and not state:onboarded' -o json\n"
    "  muster systems show web1.acme.org                   by name, number or fingerprint\n"
    "  muster systems running web1.acme.org                what its agent runs now\n"
    "  muster systems history web1.acme.org --since -2d    where it was, and when\n"
    "  muster systems tag 'zone:munich' --tag shop --untag test\n"
    "  muster systems move 'name:web*' --zone berlin\n"
    "  muster systems unregister number:17                 attaches anew\n"
    "  muster systems delete de:ad:be:ef:…                 bans it for ever\n";

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
    verb.add_option("--tag", flags.tags, "A tag to add; may be repeated")->type_name("TAG");
    verb.add_option("--untag", flags.tags_removed, "A tag to take away; may be repeated")
        ->type_name("TAG");
    verb.add_option("--group", flags.groups, "A group to join; may be repeated")
        ->type_name("GROUP");
    verb.add_option("--ungroup", flags.groups_removed, "A group to leave; may be repeated")
        ->type_name("GROUP");
}

void add_history(
    command_line::command& noun, const std::shared_ptr<systems_flags>& flags, action& chosen) {
    auto* history =
        add_verb(noun, "history", "Where one system was, and when", flags->api, chosen, [flags] {
            return show_history(*flags);
        });
    history->add_option("system", flags->system, "A number, a fingerprint or a name")
        ->required()
        ->type_name("SYSTEM");
    history->add_option("--since", flags->since, "From then on: a time, or a span such as -2d")
        ->type_name("TIME");
    history->add_option("--until", flags->until, "Up to then; now when not given")
        ->type_name("TIME");
    history->add_option("--limit", flags->limit, "How many lines at most")->type_name("NUMBER");
}

}  // namespace

void add_systems(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("systems", "List and change the systems of the fleet");
    const auto flags = std::make_shared<systems_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    noun->add_option("query", flags->words, "Which are listed; all when not given")
        ->type_name("QUERY");
    auto* list = add_verb(*noun, "list", "List systems", flags->api, chosen, [flags] {
        return list_systems(*flags);
    });
    list->add_option("query", flags->words, "Which; all when not given")->type_name("QUERY");
    list->add_option("--limit", flags->limit, "How many at most")->type_name("NUMBER");
    auto* show = add_verb(*noun, "show", "Show one system", flags->api, chosen, [flags] {
        return show_system(*flags);
    });
    show->add_option("system", flags->system, "A number, a fingerprint or a name")
        ->required()
        ->type_name("SYSTEM");
    auto* running =
        add_verb(*noun, "running", "What one system's agent runs now", flags->api, chosen, [flags] {
            return show_running(*flags);
        });
    running->add_option("system", flags->system, "A number, a fingerprint or a name")
        ->required()
        ->type_name("SYSTEM");
    add_history(*noun, flags, chosen);
    add_query_verb(*noun, flags, chosen, {"move", "Move systems to another zone", move_systems})
        ->add_option("--zone", flags->zone, "Where to")
        ->required()
        ->type_name("ZONE");
    add_label_flags(
        *add_query_verb(*noun, flags, chosen, {"tag", "Change tags and groups", tag_systems}),
        *flags);
    add_query_verb(
        *noun,
        flags,
        chosen,
        {"unregister", "Send them away from their node, to come back", unregister_systems});
    add_query_verb(*noun, flags, chosen, {"delete", "Ban them for ever", delete_systems});
    noun->callback([&chosen, flags, noun] {
        if (noun->subcommand_chosen()) return;
        chosen = [flags] {
            return list_systems(*flags);
        };
    });
}

}  // namespace muster::cli

#include "adapters/os/file.h"
#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster keys                                         list all keys\n"
    "  muster keys list --state pooled 'web*'              list pending keys by name\n"
    "  muster keys accept 'name:web*' --zone default --tag db\n"
    "  muster keys accept de:ad:be:ef:…                    accept one key by its fingerprint\n"
    "  muster keys reject 'name:test*'\n"
    "  muster keys delete de:ad:be:ef:…                    ban a key permanently\n"
    "  muster keys rules add lab --network 192.0.2.0/24 --name 'lab*' --zone lab\n"
    "  muster keys token --zone lab --ttl 30m              create a token for one system\n\n"
    "A QUERY consists of words, globs and fields (name: tag: group: zone: state: node: fp: "
    "number:\n"
    "machine:), combined with and, or, not and parentheses; * selects all systems.\n";

struct keys_flags : query_flags {
    std::string state;
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> groups;
    bool as_new = false;
    std::string rule;
    std::int64_t priority = 100;
    std::string key_file;
    std::vector<std::string> networks;
    std::vector<std::string> names;
    std::string ttl = "1h";
};

exit_code list_keys(const keys_flags& flags) {
    return print_list(
        flags.api,
        {.command = "keys",
         .path =
             "/api/v1/keys" + (flags.state.empty() ? "" : "?state=" + path_segment(flags.state)),
         .words = flags.words,
         .limit = flags.limit,
         .columns = {
             "fingerprint", "name", "stage", "number", "zone", "tags", "origin", "enrolled"}});
}

json::object labels_of(const keys_flags& flags) {
    json::object members;
    if (!flags.zone.empty()) members["zone"] = flags.zone;
    if (!flags.tags.empty()) members["tags"] = json_list(flags.tags);
    if (!flags.groups.empty()) members["groups"] = json_list(flags.groups);
    return members;
}

bulk_request change_of(const keys_flags& flags, const std::string& verb, const char* counted) {
    return {
        .command = "keys " + verb,
        .path = "/api/v1/keys/" + verb,
        .list_path = std::string("/api/v1/keys") + counted,
        .words = flags.words,
        .members = {},
        .confirmed = flags.yes};
}

exit_code accept_keys(const keys_flags& flags) {
    auto change = change_of(flags, "accept", "?state=pooled");
    change.members = labels_of(flags);
    if (flags.as_new) change.members["as_new"] = true;
    return run_bulk_change(flags.api, std::move(change));
}

exit_code reject_keys(const keys_flags& flags) {
    return run_bulk_change(flags.api, change_of(flags, "reject", "?state=pooled"));
}

exit_code delete_keys(const keys_flags& flags) {
    return run_bulk_change(flags.api, change_of(flags, "delete", ""));
}

exit_code label_keys(const keys_flags& flags) {
    auto change = change_of(flags, "label", "");
    change.members = labels_of(flags);
    return run_bulk_change(flags.api, std::move(change));
}

exit_code list_rules(const keys_flags& flags) {
    return print_response(
        "keys rules",
        flags.api,
        {.path = "/api/v1/accept-rules"},
        {"name", "priority", "activation_key", "networks", "names", "zone", "tags", "groups"});
}

// Secrets come in files: command lines are visible to everybody on the machine.
result<std::string> secret_in(const std::string& file) {
    TRY(auto text, os::load_file(file));
    while (text.ends_with('\n')) text.pop_back();
    if (text.empty()) return fail(errc::invalid, file + ": file is empty");
    return text;
}

exit_code add_rule(const keys_flags& flags) {
    auto members = labels_of(flags);
    members["name"] = flags.rule;
    members["priority"] = flags.priority;
    if (!flags.networks.empty()) members["networks"] = json_list(flags.networks);
    if (!flags.names.empty()) members["names"] = json_list(flags.names);
    if (!flags.key_file.empty()) {
        const auto key = secret_in(flags.key_file);
        if (!key) {
            fmt::print(stderr, "muster keys rules add: {}\n", key.error().detail());
            return exit_code::usage;
        }
        members["activation_key"] = *key;
    }
    return print_response(
        "keys rules add",
        flags.api,
        {.method = "POST", .path = "/api/v1/accept-rules", .body = json::value(std::move(members))},
        {});
}

exit_code remove_rule(const keys_flags& flags) {
    return print_response(
        "keys rules remove",
        flags.api,
        {.method = "DELETE", .path = "/api/v1/accept-rules/" + path_segment(flags.rule)},
        {});
}

exit_code make_token(const keys_flags& flags) {
    const auto span = runtime::parse_duration(flags.ttl);
    if (!span) {
        fmt::print(stderr, "muster keys token: --ttl: {}\n", span.error().detail());
        return exit_code::usage;
    }
    auto members = labels_of(flags);
    members["ttl"] =
        static_cast<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(*span).count());
    return print_response(
        "keys token",
        flags.api,
        {.method = "POST",
         .path = "/api/v1/enrolment-tokens",
         .body = json::value(std::move(members))},
        {});
}

void add_label_flags(command_line::command& verb, keys_flags& flags) {
    verb.add_option("--zone", flags.zone, "Zone of the systems")->type_name("ZONE");
    verb.add_option("--tag", flags.tags, "Tag to add; may be repeated")->type_name("TAG");
    verb.add_option("--group", flags.groups, "Group to join; may be repeated")->type_name("GROUP");
}

using shared_flags = std::shared_ptr<keys_flags>;

void add_rule_verbs(command_line::command& noun, const shared_flags& flags, action& chosen) {
    auto* rules = noun.add_subcommand("rules", "Manage rules that accept systems automatically");
    rules->require_subcommand(1, 1);
    add_verb(*rules, "list", "List accept rules", flags->api, chosen, [flags] {
        return list_rules(*flags);
    });
    auto* add = add_verb(
        *rules,
        "add",
        "Create an accept rule; a system must meet all its conditions",
        flags->api,
        chosen,
        [flags] { return add_rule(*flags); });
    add->add_option("name", flags->rule, "Rule name")->required()->type_name("RULE");
    add->add_option(
        "--priority", flags->priority, "Priority; lower numbers are evaluated first (default 100)");
    add->add_option(
           "--activation-key-file",
           flags->key_file,
           "File with the activation key that agents must present")
        ->type_name("FILE");
    add->add_option(
           "--network", flags->networks, "Network of the agents' addresses; may be repeated")
        ->type_name("CIDR");
    add->add_option("--name", flags->names, "Pattern for system names; may be repeated")
        ->type_name("GLOB");
    add_label_flags(*add, *flags);
    auto* remove = add_verb(*rules, "remove", "Remove an accept rule", flags->api, chosen, [flags] {
        return remove_rule(*flags);
    });
    remove->add_option("name", flags->rule, "Rule name")->required()->type_name("RULE");
}

}  // namespace

void add_keys(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("keys", "Manage the keys of systems");
    const auto flags = std::make_shared<keys_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    auto* list = add_verb(
        *noun, "list", "List keys", flags->api, chosen, [flags] { return list_keys(*flags); });
    list->add_option("query", flags->words, "Keys to list (default: all)")->type_name("QUERY");
    list->add_option(
            "--state",
            flags->state,
            "Only keys in this state: pooled, rejected, accepted or deleted")
        ->type_name("STATE");
    list->add_option("--limit", flags->limit, "Maximum number of keys (default 1000)")
        ->type_name("NUMBER");
    auto* accept =
        add_query_verb(*noun, flags, chosen, {"accept", "Accept pending keys", accept_keys});
    add_label_flags(*accept, *flags);
    accept->add_flag(
        "--as-new",
        flags->as_new,
        "Create a new system even if the machine is already known by another key");
    add_query_verb(
        *noun,
        flags,
        chosen,
        {"reject", "Reject pending keys (can be accepted later)", reject_keys});
    add_query_verb(
        *noun, flags, chosen, {"delete", "Delete keys and ban them permanently", delete_keys});
    add_label_flags(
        *add_query_verb(
            *noun, flags, chosen, {"label", "Add tags and groups to systems", label_keys}),
        *flags);
    add_rule_verbs(*noun, flags, chosen);
    auto* token =
        add_verb(*noun, "token", "Create a one-time enrolment token", flags->api, chosen, [flags] {
            return make_token(*flags);
        });
    add_label_flags(*token, *flags);
    token->add_option("--ttl", flags->ttl, "Lifetime of the token, e.g. 30m (default 1h)")
        ->type_name("DURATION");
    noun->default_subcommand("list");
}

}  // namespace muster::cli

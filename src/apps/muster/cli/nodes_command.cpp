#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster nodes                          list servers and nodes\n"
    "  muster nodes list --state pooled      list nodes that wait for acceptance\n"
    "  muster nodes stats                    show statistics of all servers\n"
    "  muster nodes token --zone default     create a token for: muster serve --join …\n"
    "  muster nodes stage muster-3 && muster nodes accept muster-3 --zone default\n"
    "  muster nodes drain muster-2           move its systems to other nodes\n";

struct nodes_flags {
    api_flags api;
    std::string name;
    std::string state;
    std::string zone;
    std::string lifetime = "1h";
    std::string timeout;
    bool pool = false;
    std::int64_t systems_max = 0;
};

exit_code list_nodes(const nodes_flags& flags) {
    const auto query = flags.state.empty() ? "" : "?state=" + path_segment(flags.state);
    return print_response(
        "nodes",
        flags.api,
        {.path = "/api/v1/nodes" + query},
        {"name", "zone", "state", "there", "slots", "attached", "common", "address", "version"});
}

std::string path_of(const nodes_flags& flags, const std::string& verb = {}) {
    return "/api/v1/nodes/" + path_segment(flags.name) + (verb.empty() ? "" : "/" + verb);
}

exit_code change_node(const nodes_flags& flags, const std::string& verb, json::object body) {
    return print_response(
        "nodes " + verb,
        flags.api,
        {.method = "POST", .path = path_of(flags, verb), .body = std::move(body)},
        {});
}

const json::array* find_list(const json::value& response, const char* name) {
    const auto* const members = response.if_object();
    const auto* const member = members == nullptr ? nullptr : members->if_contains(name);
    return member == nullptr ? nullptr : member->if_array();
}

// Servers that did not answer are listed after the table, and affect the exit code.
exit_code show_stats(const nodes_flags& flags) {
    const auto query = flags.timeout.empty() ? "" : "?patience=" + path_segment(flags.timeout);
    const auto response =
        call_api(resolve_context(flags.api.client), {.path = "/api/v1/servers/stats" + query});
    if (!response) return print_error("nodes stats", response.error());
    const auto* const items = find_list(*response, "items");
    const auto* const failed = find_list(*response, "failed");
    if (items == nullptr || failed == nullptr) {
        fmt::print(stderr, "muster nodes stats: unexpected response from the server\n");
        return exit_code::failed;
    }
    const std::vector<std::string> columns{
        "server",
        "zone",
        "requests",
        "errors",
        "exceptions",
        "too_late",
        "request_seconds",
        "connections",
        "memory_bytes"};
    const bool table = flags.api.format == output_format::table;
    fmt::print("{}", render(table ? json::value(*items) : *response, flags.api.format, columns));
    for (const auto& failure : *failed)
        print_hint("muster nodes stats: no response: " + json::serialize(failure));
    return failed->empty() ? exit_code::ok : exit_code::timed_out;
}

exit_code accept_node(const nodes_flags& flags) {
    json::object body;
    if (!flags.zone.empty()) body.emplace("zone", flags.zone);
    return change_node(flags, "accept", std::move(body));
}

exit_code limit_node(const nodes_flags& flags) {
    return print_response(
        "nodes limit",
        flags.api,
        {.method = "PATCH",
         .path = path_of(flags),
         .body = json::object{{"systems_max", flags.systems_max}}},
        {});
}

// In a table only the token is printed, for copying.
exit_code make_token(const nodes_flags& flags) {
    const auto lifetime = runtime::parse_duration(flags.lifetime);
    if (!lifetime) {
        fmt::print(stderr, "muster nodes token: --ttl: {}\n", lifetime.error().detail());
        return exit_code::usage;
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*lifetime).count();
    json::object body{{"ttl", static_cast<std::int64_t>(seconds)}, {"pool", flags.pool}};
    if (!flags.zone.empty()) body.emplace("zone", flags.zone);
    const api_call making{
        .method = "POST", .path = "/api/v1/nodes/tokens", .body = std::move(body)};
    if (flags.api.format != output_format::table)
        return print_response("nodes token", flags.api, making, {});
    const auto response = call_api(resolve_context(flags.api.client), making);
    if (!response) {
        fmt::print(stderr, "muster nodes token: {}\n", response.error().message);
        return response.error().code;
    }
    const auto* members = response->if_object();
    const auto* join = members == nullptr ? nullptr : members->if_contains("join");
    if (join == nullptr || !join->is_string()) {
        fmt::print(stderr, "muster nodes token: unexpected response from the server; no token\n");
        return exit_code::failed;
    }
    fmt::print("{}\n", json::value_to<std::string>(*join));
    return exit_code::ok;
}

void add_named_verb(
    command_line::command& noun,
    const std::shared_ptr<nodes_flags>& flags,
    action& chosen,
    const std::string& name,
    const std::string& text) {
    auto* verb = add_verb(noun, name, text, flags->api, chosen, [flags, name] {
        return change_node(*flags, name, {});
    });
    verb->add_option("name", flags->name, "Node name")->required()->type_name("NODE");
}

void add_changes(
    command_line::command& noun, const std::shared_ptr<nodes_flags>& flags, action& chosen) {
    add_named_verb(noun, flags, chosen, "stage", "Stage a pooled node, which wipes its data");
    add_named_verb(noun, flags, chosen, "drain", "Drain a node: move its systems to other nodes");
    add_named_verb(noun, flags, chosen, "undrain", "Return a drained node to service");
    add_named_verb(
        noun,
        flags,
        chosen,
        "evict",
        "Evict a suspect node: move its systems to other nodes permanently");
    add_named_verb(noun, flags, chosen, "remove", "Remove a node that serves no systems");
    auto* accept =
        add_verb(noun, "accept", "Accept a staged node into a zone", flags->api, chosen, [flags] {
            return accept_node(*flags);
        });
    accept->add_option("name", flags->name, "Node name")->required()->type_name("NODE");
    accept->add_option("--zone", flags->zone, "Zone of the node (default: default)")
        ->type_name("ZONE");
    auto* limit = add_verb(
        noun, "limit", "Set the maximum number of systems of a node", flags->api, chosen, [flags] {
            return limit_node(*flags);
        });
    limit->add_option("name", flags->name, "Node name")->required()->type_name("NODE");
    limit->add_option("--systems-max", flags->systems_max, "Maximum number of systems; 0: no limit")
        ->required()
        ->type_name("COUNT");
    auto* token = add_verb(
        noun,
        "token",
        "Create a one-time join token for a server: muster serve --join TOKEN@HOST:PORT",
        flags->api,
        chosen,
        [flags] { return make_token(*flags); });
    token->add_option("--zone", flags->zone, "Zone of the new node")->type_name("ZONE");
    token->add_option("--ttl", flags->lifetime, "Lifetime of the token (default 1h)")
        ->type_name("DURATION");
    token->add_flag(
        "--pool", flags->pool, "Put the new node into the pool, to be accepted manually");
}

}  // namespace

void add_nodes(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("nodes", "Manage the nodes of the cluster");
    const auto flags = std::make_shared<nodes_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    auto* list = add_verb(*noun, "list", "List nodes and servers", flags->api, chosen, [flags] {
        return list_nodes(*flags);
    });
    list->add_option("--state", flags->state, "Only nodes in this state")->type_name("STATE");
    auto* show = add_verb(*noun, "show", "Show a node", flags->api, chosen, [flags] {
        return print_response("nodes show", flags->api, {.path = path_of(*flags)}, {});
    });
    show->add_option("name", flags->name, "Node name")->required()->type_name("NODE");
    auto* stats =
        add_verb(*noun, "stats", "Show statistics of all servers", flags->api, chosen, [flags] {
            return show_stats(*flags);
        });
    stats
        ->add_option(
            "--patience",
            flags->timeout,
            "Timeout for responses of the servers, e.g. 3s (default: gateway.peer_timeout)")
        ->type_name("DURATION");
    add_changes(*noun, flags, chosen);
    noun->default_subcommand("list");
}

}  // namespace muster::cli

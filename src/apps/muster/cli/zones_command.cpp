#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster zones                                      list all zones\n"
    "  muster zones add munich --parent germany --description 'stores in Munich'\n"
    "  muster zones set munich --disaster-timeout 10m\n"
    "  muster zones stats munich -o json\n"
    "  muster zones remove munich                        refused unless the zone is empty\n";

struct zones_flags {
    api_flags api;
    std::string name;
    std::optional<std::string> description;
    std::optional<std::string> parent;
    std::optional<std::string> disaster_timeout;
    std::optional<int> tasks_max;
};

std::string path_of(const zones_flags& flags) {
    return "/api/v1/zones/" + path_segment(flags.name);
}

exit_code list_zones(const zones_flags& flags) {
    return print_response(
        "zones",
        flags.api,
        {.path = "/api/v1/zones"},
        {"name", "parent", "description", "disaster_timeout", "tasks_max", "held"});
}

std::expected<json::object, exit_code> to_body(const zones_flags& flags) {
    json::object body;
    if (flags.description) body.emplace("description", *flags.description);
    if (flags.parent) body.emplace("parent", *flags.parent);
    if (flags.tasks_max) body.emplace("tasks_max", *flags.tasks_max);
    if (!flags.disaster_timeout) return body;
    const auto span = runtime::parse_duration(*flags.disaster_timeout);
    if (!span) {
        fmt::print(stderr, "muster zones: --disaster-timeout: {}\n", span.error().detail());
        return std::unexpected(exit_code::usage);
    }
    body.emplace(
        "disaster_timeout",
        static_cast<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(*span).count()));
    return body;
}

exit_code add_zone(const zones_flags& flags) {
    auto body = to_body(flags);
    if (!body) return body.error();
    body->emplace("name", flags.name);
    return print_response(
        "zones add",
        flags.api,
        {.method = "POST", .path = "/api/v1/zones", .body = std::move(*body)},
        {});
}

exit_code set_zone(const zones_flags& flags) {
    auto body = to_body(flags);
    if (!body) return body.error();
    return print_response(
        "zones set",
        flags.api,
        {.method = "PATCH", .path = path_of(flags), .body = std::move(*body)},
        {});
}

void add_description_flags(command_line::command& verb, zones_flags& flags) {
    verb.add_option("--description", flags.description, "Description")->type_name("TEXT");
    verb.add_option("--parent", flags.parent, "Parent zone; '': none")->type_name("ZONE");
    verb.add_option(
            "--disaster-timeout",
            flags.disaster_timeout,
            "Time after which the systems of an unreachable node move to other nodes (new zones: "
            "5m)")
        ->type_name("DURATION");
    verb.add_option(
            "--tasks-max",
            flags.tasks_max,
            "Maximum running tasks in the zone, all jobs together; 0: no limit")
        ->type_name("NUMBER");
}

command_line::command* add_named_verb(
    command_line::command& noun,
    const std::shared_ptr<zones_flags>& flags,
    action& chosen,
    const std::string& name,
    const std::string& text,
    exit_code (*run)(const zones_flags&)) {
    auto* verb =
        add_verb(noun, name, text, flags->api, chosen, [flags, run] { return run(*flags); });
    verb->add_option("name", flags->name, "Zone name")->required()->type_name("ZONE");
    return verb;
}

exit_code show_zone(const zones_flags& flags) {
    return print_response("zones show", flags.api, {.path = path_of(flags)}, {});
}

exit_code show_stats(const zones_flags& flags) {
    return print_response("zones stats", flags.api, {.path = path_of(flags) + "/stats"}, {});
}

exit_code remove_zone(const zones_flags& flags) {
    return print_response(
        "zones remove", flags.api, {.method = "DELETE", .path = path_of(flags)}, {});
}

}  // namespace

void add_zones(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("zones", "Manage zones");
    const auto flags = std::make_shared<zones_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    add_verb(
        *noun, "list", "List zones", flags->api, chosen, [flags] { return list_zones(*flags); });
    add_description_flags(
        *add_named_verb(*noun, flags, chosen, "add", "Create a zone", add_zone), *flags);
    add_description_flags(
        *add_named_verb(*noun, flags, chosen, "set", "Change a zone", set_zone), *flags);
    add_named_verb(*noun, flags, chosen, "show", "Show a zone", show_zone);
    add_named_verb(*noun, flags, chosen, "stats", "Show statistics of a zone", show_stats);
    add_named_verb(*noun, flags, chosen, "remove", "Remove an empty zone", remove_zone);
    noun->default_subcommand("list");
}

}  // namespace muster::cli

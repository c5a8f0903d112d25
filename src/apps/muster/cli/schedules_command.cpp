#include "apps/command_line/command.h"
#include "apps/muster/cli/api_verb.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>
#include <fmt/format.h>

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
    "  muster schedules                                  all of them and when they run next\n"
    "  muster schedules add nightly --cron '30 2 * * *' --zone Europe/Berlin \\\n"
    "      --query 'tag:db' --function cmd.run --argument uptime\n"
    "  muster schedules add weekly --rrule 'DTSTART:20261116T220000 FREQ=WEEKLY' …\n"
    "  muster schedules add move --at 2026-12-24T02:00:00Z …\n"
    "  muster schedules pause nightly\n";

struct schedules_flags {
    api_flags api;
    std::string name;
    std::optional<std::string> at;
    std::optional<std::string> cron;
    std::optional<std::string> rrule;
    std::optional<std::string> zone;
    std::optional<std::string> query;
    std::optional<std::string> function;
    std::optional<std::string> missed;
    std::vector<std::string> arguments;
    bool any_time = false;
};

const std::string root_path = "/api/v1/schedules";

std::string path_of(const schedules_flags& flags) {
    return root_path + "/" + path_segment(flags.name);
}

json::object body_of(const schedules_flags& flags) {
    json::object body;
    const auto add = [&body](const char* name, const std::optional<std::string>& given) {
        if (given) body.emplace(name, *given);
    };
    add("at", flags.at);
    add("cron", flags.cron);
    add("rrule", flags.rrule);
    add("zone", flags.zone);
    add("query", flags.query);
    add("function", flags.function);
    add("missed", flags.missed);
    if (!flags.arguments.empty()) body.emplace("arguments", json_list(flags.arguments));
    if (flags.any_time) body.emplace("maintenance_only", false);
    return body;
}

exit_code list_schedules(const schedules_flags& flags) {
    return print_answer(
        "schedules",
        flags.api,
        {.path = root_path},
        {"name", "active", "next", "cron", "rrule", "at", "zone", "query", "function"});
}

exit_code add_schedule(const schedules_flags& flags) {
    auto body = body_of(flags);
    body.emplace("name", flags.name);
    return print_answer(
        "schedules add",
        flags.api,
        {.method = "POST", .path = root_path, .body = std::move(body)},
        {});
}

exit_code change_schedule(const schedules_flags& flags, json::object body) {
    return print_answer(
        "schedules",
        flags.api,
        {.method = "PATCH", .path = path_of(flags), .body = std::move(body)},
        {});
}

exit_code set_schedule(const schedules_flags& flags) {
    return change_schedule(flags, body_of(flags));
}
exit_code pause_schedule(const schedules_flags& flags) {
    return change_schedule(flags, {{"active", false}});
}
exit_code resume_schedule(const schedules_flags& flags) {
    return change_schedule(flags, {{"active", true}});
}

exit_code show_schedule(const schedules_flags& flags) {
    return print_answer("schedules show", flags.api, {.path = path_of(flags)}, {});
}

exit_code remove_schedule(const schedules_flags& flags) {
    return print_answer(
        "schedules remove", flags.api, {.method = "DELETE", .path = path_of(flags)}, {});
}

command_line::command* add_named_verb(
    command_line::command& noun,
    const std::shared_ptr<schedules_flags>& flags,
    action& chosen,
    const char* name,
    const char* what,
    exit_code (*run)(const schedules_flags&)) {
    auto* verb =
        add_verb(noun, name, what, flags->api, chosen, [flags, run] { return run(*flags); });
    verb->add_option("name", flags->name, "Which schedule")->required()->type_name("NAME");
    return verb;
}

void add_definition_flags(command_line::command* verb, schedules_flags& flags) {
    verb->add_option("--at", flags.at, "Once, at this time in UTC")->type_name("TIME");
    verb->add_option("--cron", flags.cron, "Minute, hour, day, month, day of the week")
        ->type_name("'M H D M W'");
    verb->add_option("--rrule", flags.rrule, "A first time and a rule of RFC 5545")
        ->type_name("'DTSTART:TIME RULE'");
    verb->add_option("--zone", flags.zone, "Whose clocks; otherwise UTC")->type_name("ZONE");
    verb->add_option("--query", flags.query, "Which systems, looked up at each run")
        ->type_name("QUERY");
    verb->add_option("--function", flags.function, "What to run")->type_name("NAME");
    verb->add_option("--argument", flags.arguments, "For the function; may be repeated")
        ->type_name("TEXT");
    verb->add_option("--missed", flags.missed, "After a standstill: skip or run-once")
        ->type_name("POLICY");
    verb->add_flag("--any-time", flags.any_time, "Also outside of maintenance windows");
}

}  // namespace

void add_schedules(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("schedules", "What runs at a time, again and again");
    const auto flags = std::make_shared<schedules_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    add_verb(*noun, "list", "List the schedules", flags->api, chosen, [flags] {
        return list_schedules(*flags);
    });
    add_definition_flags(
        add_named_verb(*noun, flags, chosen, "add", "Make a schedule", add_schedule), *flags);
    add_definition_flags(
        add_named_verb(*noun, flags, chosen, "set", "Change a schedule", set_schedule), *flags);
    add_named_verb(*noun, flags, chosen, "show", "Show one with its next runs", show_schedule);
    add_named_verb(*noun, flags, chosen, "pause", "Let it rest", pause_schedule);
    add_named_verb(*noun, flags, chosen, "resume", "Let it run again", resume_schedule);
    add_named_verb(*noun, flags, chosen, "remove", "Remove one", remove_schedule);
    noun->callback([&chosen, flags, noun] {
        if (noun->subcommand_chosen()) return;
        chosen = [flags] {
            return list_schedules(*flags);
        };
    });
}

}  // namespace muster::cli

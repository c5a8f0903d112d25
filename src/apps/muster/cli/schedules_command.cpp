#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/schedules_request.h"
#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster schedules                                  list schedules with their next runs\n"
    "  muster schedules add nightly --cron '30 2 * * *' --zone Europe/Berlin \\\n"
    "      --query 'tag:db' --function cmd.run --argument uptime\n"
    "  muster schedules add weekly --rrule 'DTSTART:20261116T220000 FREQ=WEEKLY' \\\n"
    "      --query 'tag:web' --function configuration.deploy   as muster apply, every week\n"
    "      (--arguments '{\"channel\":\"motd\"}': only files of this channel)\n"
    "  muster schedules add move --at 2026-12-24T02:00:00Z …\n"
    "  muster schedules pause nightly\n";

struct schedules_flags : schedule_flags {
    api_flags api;
};

const std::string root_path = "/api/v1/schedules";

std::string path_of(const schedules_flags& flags) {
    return root_path + "/" + path_segment(flags.name);
}

exit_code list_schedules(const schedules_flags& flags) {
    return print_response(
        "schedules",
        flags.api,
        {.path = root_path},
        {"name", "active", "next", "cron", "rrule", "at", "zone", "query", "function"});
}

exit_code add_schedule(const schedules_flags& flags) {
    auto body = schedule_request(flags);
    if (!body) return print_error("schedules add", {exit_code::usage, body.error().detail()});
    body->emplace("name", flags.name);
    return print_response(
        "schedules add",
        flags.api,
        {.method = "POST", .path = root_path, .body = *std::move(body)},
        {});
}

exit_code change_schedule(const schedules_flags& flags, json::object body) {
    return print_response(
        "schedules",
        flags.api,
        {.method = "PATCH", .path = path_of(flags), .body = std::move(body)},
        {});
}

exit_code set_schedule(const schedules_flags& flags) {
    auto body = schedule_request(flags);
    if (!body) return print_error("schedules set", {exit_code::usage, body.error().detail()});
    return change_schedule(flags, *std::move(body));
}
exit_code pause_schedule(const schedules_flags& flags) {
    return change_schedule(flags, {{"active", false}});
}
exit_code resume_schedule(const schedules_flags& flags) {
    return change_schedule(flags, {{"active", true}});
}

exit_code show_schedule(const schedules_flags& flags) {
    return print_response("schedules show", flags.api, {.path = path_of(flags)}, {});
}

exit_code remove_schedule(const schedules_flags& flags) {
    return print_response(
        "schedules remove", flags.api, {.method = "DELETE", .path = path_of(flags)}, {});
}

struct verb_about_one {
    const char* name;
    const char* text;
    exit_code (*run)(const schedules_flags&);
};

command_line::command* add_named_verb(
    command_line::command& noun,
    const std::shared_ptr<schedules_flags>& flags,
    action& chosen,
    const verb_about_one& verb_about_one) {
    auto* verb = add_verb(
        noun,
        verb_about_one.name,
        verb_about_one.text,
        flags->api,
        chosen,
        [flags, run = verb_about_one.run] { return run(*flags); });
    verb->add_option("name", flags->name, "Schedule name")->required()->type_name("NAME");
    return verb;
}

void add_definition_flags(command_line::command* verb, schedules_flags& flags) {
    verb->add_option("--at", flags.start_time, "Time of a single run, in UTC")->type_name("TIME");
    verb->add_option(
            "--cron", flags.cron, "Cron expression: minute, hour, day, month, day of the week")
        ->type_name("'M H D M W'");
    verb->add_option("--rrule", flags.rrule, "First run and recurrence rule (RFC 5545)")
        ->type_name("'DTSTART:TIME RULE'");
    verb->add_option(
            "--zone", flags.zone, "Time zone of the schedule, e.g. Europe/Berlin (default UTC)")
        ->type_name("ZONE");
    verb->add_option("--query", flags.query, "Query for the systems, evaluated at each run")
        ->type_name("QUERY");
    verb->add_option("--function", flags.function, "Function to run")->type_name("NAME");
    auto* const words =
        verb->add_option("--argument", flags.arguments, "Argument of cmd.run; may be repeated");
    words->type_name("TEXT");
    verb->add_option(
            "--arguments",
            flags.arguments_object,
            "Arguments of the function as a JSON object: '{\"channel\":\"motd\"}'")
        ->type_name("JSON")
        ->excludes(words);
    verb->add_option("--missed", flags.missed, "Handling of missed runs: skip or run-once")
        ->type_name("POLICY");
    verb->add_flag("--any-time", flags.any_time, "Run outside of maintenance windows, too");
}

void add_rollout_flags(command_line::command* verb, schedules_flags& flags) {
    verb->add_option(
            "--batch", flags.batch, "Maximum systems at the same time: 10 or 25%; '': no limit")
        ->type_name("AMOUNT");
    verb->add_option(
            "--batch-wait",
            flags.batch_wait,
            "Pause before a free place in the batch is used again, e.g. 5s")
        ->type_name("DURATION");
    verb->add_option(
            "--rate",
            flags.rate,
            "Maximum task starts per second, in the whole cluster; 0: no limit")
        ->type_name("NUMBER");
    verb->add_option(
            "--canary",
            flags.canary,
            "Number of canary systems: 3 or 5%; other systems start after all canaries succeeded; "
            "'': none")
        ->type_name("AMOUNT");
    verb->add_option(
            "--canary-wait",
            flags.canary_wait,
            "Pause between the canaries and the other systems, e.g. 10m")
        ->type_name("DURATION");
    verb->add_option(
            "--max-failures",
            flags.max_failures,
            "Maximum failed systems before the job is halted: 5 or 1%; '': no limit")
        ->type_name("AMOUNT");
    verb->add_option("--retry", flags.retries, "Number of retries after a failure")
        ->type_name("NUMBER");
    verb->add_option(
            "--priority", flags.priority, "Priority from -1000 to 1000; higher numbers start first")
        ->type_name("NUMBER");
    verb->add_option(
            "--weight", flags.weight, "Share among jobs of the same priority, from 1 to 1000")
        ->type_name("NUMBER");
}

void add_definition_verb(
    command_line::command& noun,
    const std::shared_ptr<schedules_flags>& flags,
    action& chosen,
    const verb_about_one& verb_about_one) {
    auto* const verb = add_named_verb(noun, flags, chosen, verb_about_one);
    add_definition_flags(verb, *flags);
    add_rollout_flags(verb, *flags);
}

}  // namespace

void add_schedules(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("schedules", "Manage recurring jobs");
    const auto flags = std::make_shared<schedules_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    add_verb(*noun, "list", "List schedules", flags->api, chosen, [flags] {
        return list_schedules(*flags);
    });
    add_definition_verb(*noun, flags, chosen, {"add", "Create a schedule", add_schedule});
    add_definition_verb(*noun, flags, chosen, {"set", "Change a schedule", set_schedule});
    add_named_verb(
        *noun, flags, chosen, {"show", "Show a schedule with its next runs", show_schedule});
    add_named_verb(*noun, flags, chosen, {"pause", "Pause a schedule", pause_schedule});
    add_named_verb(*noun, flags, chosen, {"resume", "Resume a paused schedule", resume_schedule});
    add_named_verb(*noun, flags, chosen, {"remove", "Remove a schedule", remove_schedule});
    noun->default_subcommand("list");
}

}  // namespace muster::cli

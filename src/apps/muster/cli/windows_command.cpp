#include "adapters/os/file.h"
#include "adapters/os/time_zone_database.h"
#include "apps/command_line/command.h"
#include "apps/muster/cli/api_command.h"
#include "apps/muster/cli/calendar_view.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/system_verbs.h"
#include "core/windows/admission.h"
#include "core/windows/ical_value.h"
#include "runtime/clock.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster windows                                    list schedules with their next windows\n"
    "  muster windows add nights.ics                     create schedule `nights` from all events\n"
    "  muster windows add sites.ics --multi              create one schedule for each SUMMARY\n"
    "  muster windows add https://cal.acme.org/n.ics --label nights\n"
    "  muster windows add --none frozen                  create a schedule without windows\n"
    "  muster windows show nights --month 2026-11 --zone Europe/Berlin\n"
    "  muster windows show nights --week 2026-11-16\n"
    "  muster windows assign nights 'tag:db'             replaces the schedules of these systems\n"
    "  muster windows unassign 'name:web*'\n"
    "  muster windows replace nights.ics --strategy Nearest,Cancel\n";

struct windows_flags {
    api_flags api;
    std::string name;
    std::string source;  // a file or an address
    std::string label;
    std::string strategy = "Fail";
    std::string zone = "UTC";
    std::string month;
    std::string week;
    std::vector<std::string> words;
    std::size_t count = 20;
    bool multi = false;
    bool none = false;
    bool calendar = false;
    bool disable = false;
};

const std::string root_path = "/api/v1/windows";

std::string schedule_path(const std::string& name) {
    return root_path + "/schedules/" + path_segment(name);
}
std::string calendar_path(const std::string& label) {
    return root_path + "/calendars/" + path_segment(label);
}

exit_code wrong_usage(const std::string& text) {
    fmt::print(stderr, "muster windows: {}\n", text);
    return exit_code::usage;
}

bool is_address(const std::string& source) {
    return source.starts_with("https://") || source.starts_with("http://");
}

std::string label_of(const windows_flags& flags) {
    return flags.label.empty() ? std::filesystem::path(flags.source).stem().string() : flags.label;
}

// The `text` or `url` of a calendar.
std::expected<json::object, exit_code> content_of(const windows_flags& flags) {
    if (is_address(flags.source)) return json::object{{"url", flags.source}};
    const auto text = os::load_file(flags.source);
    if (!text) return std::unexpected(wrong_usage(flags.source + ": " + text.error().detail()));
    return json::object{{"text", *text}};
}

std::expected<json::value, exit_code> called(const windows_flags& flags, const api_call& api_call) {
    auto response = call_api(resolve_context(flags.api.client), api_call);
    if (response) return *std::move(response);
    fmt::print(stderr, "muster windows: {}\n", response.error().message);
    return std::unexpected(response.error().code);
}

exit_code list_schedules(const windows_flags& flags) {
    return print_response(
        "windows",
        flags.api,
        {.path = root_path},
        {"name", "type", "calendar", "systems", "open", "opens", "closes"});
}

exit_code list_calendars(const windows_flags& flags) {
    return print_response(
        "windows calendars",
        flags.api,
        {.path = root_path + "/calendars"},
        {"label", "events", "summaries", "url", "changed", "changed_by"});
}

exit_code add_schedule(const windows_flags& flags, const json::object& body) {
    return print_response(
        "windows add",
        flags.api,
        {.method = "POST", .path = root_path + "/schedules", .body = body},
        {});
}

// Adds the calendar, then its schedules.
exit_code add_windows(const windows_flags& flags) {
    if (flags.none) return add_schedule(flags, {{"name", flags.source}, {"type", "none"}});
    auto content = content_of(flags);
    if (!content) return content.error();
    if (flags.multi && !resolve_context(flags.api.client).edit.empty())
        return wrong_usage(
            "--multi cannot be used in a draft; add the calendar outside of an edit session");
    const auto label = label_of(flags);
    content->emplace("label", label);
    const auto added = called(
        flags, {.method = "POST", .path = root_path + "/calendars", .body = std::move(*content)});
    if (!added) return added.error();
    if (!flags.multi)
        return add_schedule(flags, {{"name", label}, {"type", "single"}, {"calendar", label}});
    auto worst = exit_code::ok;
    for (const auto& summary : added->at("summaries").as_array()) {
        const auto outcome =
            add_schedule(flags, {{"name", summary}, {"type", "multi"}, {"calendar", label}});
        if (outcome != exit_code::ok) worst = outcome;
    }
    return worst;
}

exit_code replace_calendar(const windows_flags& flags) {
    auto content = content_of(flags);
    if (!content) return content.error();
    content->emplace("resolve_strategy", flags.strategy);
    return print_response(
        "windows replace",
        flags.api,
        {.method = "PUT", .path = calendar_path(label_of(flags)), .body = std::move(*content)},
        {});
}

exit_code refresh_calendar(const windows_flags& flags) {
    return print_response(
        "windows refresh",
        flags.api,
        {.method = "POST",
         .path = calendar_path(flags.name) + "/refresh",
         .body = json::object{{"resolve_strategy", flags.strategy}}},
        {});
}

exit_code remove_named(const windows_flags& flags) {
    const auto path = flags.calendar ? calendar_path(flags.name) : schedule_path(flags.name);
    return print_response("windows remove", flags.api, {.method = "DELETE", .path = path}, {});
}

exit_code assign(const windows_flags& flags) {
    return print_response(
        "windows assign",
        flags.api,
        {.method = "POST",
         .path = schedule_path(flags.name) + "/assign",
         .body = json::object{{"query", join_words(flags.words)}}},
        {});
}

exit_code unassign(const windows_flags& flags) {
    return print_response(
        "windows unassign",
        flags.api,
        {.method = "POST",
         .path = root_path + "/unassign",
         .body = json::object{{"query", join_words(flags.words)}}},
        {});
}

exit_code next_windows(const windows_flags& flags) {
    return print_response(
        "windows next",
        flags.api,
        {.path = schedule_path(flags.name) + "/times?count=" + std::to_string(flags.count)},
        {"opens", "closes"});
}

exit_code list_systems(const windows_flags& flags) {
    const auto query = flags.name.empty() ? "" : "?schedule=" + path_segment(flags.name);
    return print_response(
        "windows systems",
        flags.api,
        {.path = root_path + "/systems" + query},
        {"number", "name", "schedule"});
}

exit_code set_policy(const windows_flags& flags) {
    return print_response(
        "windows override",
        flags.api,
        {.method = "PUT",
         .path = root_path + "/policy",
         .body = json::object{{"emergency_override", !flags.disable}}},
        {});
}

// "2026-11-16" or, for a month, "2026-11".
std::optional<std::chrono::local_days> day_of(std::string text) {
    std::erase(text, '-');
    if (text.size() == 6) text += "01";
    const auto moment = windows::parse_moment(text);
    if (!moment || !moment->whole_day) return std::nullopt;
    return std::chrono::floor<std::chrono::days>(moment->at);
}

std::optional<wall_time> time_of(const json::value& text) {
    std::string compact;
    for (const char letter : text.as_string())
        if (letter != '-' && letter != ':') compact += letter;
    const auto dot = compact.find('.');
    if (dot != std::string::npos) compact = compact.substr(0, dot) + "Z";
    const auto moment = windows::parse_moment(compact);
    if (!moment) return std::nullopt;
    return windows::sys_seconds(moment->at.time_since_epoch());
}

exit_code print_view(
    const windows_flags& flags,
    const windows::time_zone_pointer& zone,
    const json::value& response,
    std::chrono::local_days day) {
    std::vector<windows::window> spans;
    for (const auto& item : response.at("items").as_array()) {
        const auto opens = time_of(item.at("opens"));
        const auto closes = time_of(item.at("closes"));
        if (opens && closes) spans.push_back({.opens = *opens, .closes = *closes});
    }
    runtime::system_clock clock;
    const calendar_page page{.windows = spans, .zone = zone, .now = clock.wall()};
    const std::chrono::year_month_day date(day);
    fmt::print(
        "{}",
        flags.week.empty() ? month_view(page, date.year() / date.month()) : week_view(page, day));
    return exit_code::ok;
}

exit_code show_schedule(const windows_flags& flags) {
    if (flags.api.format != output_format::table)
        return print_response("windows show", flags.api, {.path = schedule_path(flags.name)}, {});
    os::time_zone_database zones;
    const auto zone = flags.zone == "UTC"
                          ? result<windows::time_zone_pointer>(windows::time_zone::utc())
                          : zones.find(flags.zone);
    if (!zone) return wrong_usage(zone.error().detail());
    runtime::system_clock clock;
    const auto& requested = flags.week.empty() ? flags.month : flags.week;
    const auto today = std::chrono::floor<std::chrono::days>(
        (*zone)->to_local(std::chrono::floor<std::chrono::seconds>(clock.wall())));
    const auto day = requested.empty() ? std::optional(today) : day_of(requested);
    if (!day) return wrong_usage("\"" + requested + "\" is not a day such as 2026-11-16");
    // Reads some days more than the page shows, because of time zones.
    const wall_time around = windows::sys_seconds(windows::local_seconds(*day).time_since_epoch());
    const auto response = called(
        flags,
        {.path = fmt::format(
             "{}/times?count=1000&from={}&to={}",
             schedule_path(flags.name),
             windows::to_text(around - std::chrono::days(33)),
             windows::to_text(around + std::chrono::days(33)))});
    if (!response) return response.error();
    return print_view(flags, *zone, *response, *day);
}

using flags_pointer = std::shared_ptr<windows_flags>;

command_line::command* add_windows_verb(
    command_line::command& noun,
    const flags_pointer& flags,
    action& chosen,
    const char* name,
    const char* text,
    exit_code (*run)(const windows_flags&)) {
    return add_verb(noun, name, text, flags->api, chosen, [flags, run] { return run(*flags); });
}

void add_name(command_line::command* verb, const flags_pointer& flags, const char* text) {
    verb->add_option("name", flags->name, text)->required()->type_name("NAME");
}

void add_query(command_line::command* verb, const flags_pointer& flags) {
    verb->add_option("query", flags->words, "Systems")->required()->type_name("QUERY");
}

void add_calendar_verbs(command_line::command& noun, const flags_pointer& flags, action& chosen) {
    add_windows_verb(noun, flags, chosen, "calendars", "List calendars", list_calendars);
    auto* add = add_windows_verb(
        noun, flags, chosen, "add", "Create a calendar and its schedules", add_windows);
    add->add_option(
           "source",
           flags->source,
           "Calendar file or https URL; with --none the name of the schedule")
        ->required()
        ->type_name("FILE.ics|URL");
    add->add_option("--label", flags->label, "Calendar label (default: file name)")
        ->type_name("TEXT");
    auto* multi = add->add_flag("--multi", flags->multi, "Create one schedule for each SUMMARY");
    add->add_flag("--none", flags->none, "Create a schedule without windows")->excludes(multi);
    auto* replace = add_windows_verb(
        noun, flags, chosen, "replace", "Replace the events of a calendar", replace_calendar);
    replace->add_option("source", flags->source, "Calendar file or https URL")
        ->required()
        ->type_name("FILE.ics|URL");
    replace->add_option("--label", flags->label, "Label of the calendar")->type_name("TEXT");
    auto* refresh = add_windows_verb(
        noun, flags, chosen, "refresh", "Download a calendar from its URL", refresh_calendar);
    add_name(refresh, flags, "Label of the calendar");
    for (auto* const verb : {replace, refresh})
        verb->add_option(
                "--resolve,--strategy",
                flags->strategy,
                "Strategies for planned starts outside of the new windows, in order: Nearest, "
                "Previous, Next, Cancel, Fail (default Fail)")
            ->type_name("LIST");
}

void add_schedule_verbs(command_line::command& noun, const flags_pointer& flags, action& chosen) {
    auto* show = add_windows_verb(
        noun, flags, chosen, "show", "Show a schedule as a calendar", show_schedule);
    add_name(show, flags, "Schedule name");
    auto* month =
        show->add_option("--month", flags->month, "Month (default: current)")->type_name("YYYY-MM");
    show->add_option("--week", flags->week, "Day of the week to show, by hours")
        ->type_name("YYYY-MM-DD")
        ->excludes(month);
    show->add_option(
            "--zone",
            flags->zone,
            "Time zone of the calendar shown, e.g. Europe/Berlin (default UTC)")
        ->type_name("ZONE");
    auto* next =
        add_windows_verb(noun, flags, chosen, "next", "List the next windows", next_windows);
    add_name(next, flags, "Schedule name");
    next->add_option("--count,-n", flags->count, "Windows to list (default 20)")->between(1, 1000);
    auto* give =
        add_windows_verb(noun, flags, chosen, "assign", "Assign a schedule to systems", assign);
    add_name(give, flags, "Schedule name");
    add_query(give, flags);
    add_query(
        add_windows_verb(
            noun, flags, chosen, "unassign", "Remove the schedule of systems", unassign),
        flags);
    auto* systems = add_windows_verb(
        noun,
        flags,
        chosen,
        "systems",
        "List systems in an open window, or systems with a schedule",
        list_systems);
    systems->add_option("--schedule", flags->name, "Systems of this schedule")->type_name("NAME");
    auto* remove = add_windows_verb(
        noun, flags, chosen, "remove", "Remove a schedule or a calendar", remove_named);
    add_name(remove, flags, "Name of the schedule, or label of the calendar");
    remove->add_flag("--calendar", flags->calendar, "Remove a calendar instead of a schedule");
    auto* policy = add_windows_verb(
        noun,
        flags,
        chosen,
        "override",
        "Allow emergency starts outside of windows (--window override)",
        set_policy);
    policy->add_flag("--disable", flags->disable, "Forbid emergency starts");
}

}  // namespace

void add_windows(command_line::command& root, action& chosen) {
    auto* noun = root.add_subcommand("windows", "Manage maintenance windows");
    const auto flags = std::make_shared<windows_flags>();
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags->api.client);
    add_output_flag(*noun, flags->api.format);
    noun->footer(examples);
    add_windows_verb(*noun, flags, chosen, "list", "List schedules", list_schedules);
    add_calendar_verbs(*noun, flags, chosen);
    add_schedule_verbs(*noun, flags, chosen);
    noun->default_subcommand("list");
}

}  // namespace muster::cli

// windows_api: declarations of the operations.

#include "api/rest/windows_api.h"

#include <utility>

namespace muster::api {
namespace {

using namespace api;
using access::right;

constexpr const char* windows_path = "/api/v1/windows";
constexpr const char* calendars_path = "/api/v1/windows/calendars";
constexpr const char* calendar_path = "/api/v1/windows/calendars/{name}";
constexpr const char* schedules_path = "/api/v1/windows/schedules";
constexpr const char* schedule_path = "/api/v1/windows/schedules/{name}";
constexpr std::int64_t calendar_bytes_max = std::int64_t{4} << 20;
constexpr std::int64_t windows_max = 1'000;
constexpr std::int64_t query_bytes_max = 32 * std::int64_t{1024};
constexpr std::int64_t systems_max = 10'000;  // listed by number

parameter name_in_path() {
    return in_path("name", name());
}

shape window_shape() {
    return record_of({required("opens", api::time()), required("closes", api::time())});
}

shape calendar_shape() {
    return record_of(
        {required("label", name()),
         required("url", text()),
         required("fetched", api::time().or_nothing()),
         required("last_error", text().or_nothing()),
         required("events", integer(0)),
         required("summaries", list_of(text())),
         required("changed", api::time()),
         required("changed_by", text()),
         optional("text", text(calendar_bytes_max)),
         optional(
             "replanned", list_of(anything()).with_about("planned jobs and their new windows")),
         optional("replaced_jobs", list_of(anything()))});
}

shape schedule_shape() {
    return record_of(
        {required("name", name()),
         required("type", name().with_about("single or multi")),
         required("calendar", text()),
         required("systems", integer(0)),
         required("open", flag()),
         required("opens", api::time().or_nothing()),
         required("closes", api::time().or_nothing()),
         required("changed", api::time()),
         required("changed_by", text()),
         optional("next", list_of(window_shape())),
         optional(
             "replanned", list_of(anything()).with_about("planned jobs and their new windows")),
         optional("replaced_jobs", list_of(anything()))});
}

shape overview_shape() {
    return record_of(
        {required(
             "items",
             list_of(record_of(
                 {required("schedule", name()),
                  required("opens", api::time()),
                  required("closes", api::time())}))),
         required("next", text().or_nothing()),
         required("more", flag().with_about("true if more windows exist than are listed")),
         required(
             "before",
             api::time().or_nothing().with_about(
                 "closing time of the last window before the range")),
         required(
             "after",
             api::time().or_nothing().with_about(
                 "opening time of the next window after the range"))});
}

shape assignment_shape() {
    return record_of(
        {required("systems", integer(0)),
         required("had_another", integer(0)),
         required("cancelled_jobs", list_of(anything()))});
}

std::vector<parameter> calendar_parameters(parameter label) {
    return {
        std::move(label),
        optional_in_body(
            "text", text(calendar_bytes_max).with_about("calendar in iCalendar format")),
        optional_in_body("url", text().with_about("instead of `text`: URL of the calendar"))};
}

parameter strategy_parameter() {
    return optional_in_body(
        "resolve_strategy",
        text().with_about("strategies for planned jobs that no longer fit (default Fail)"));
}

std::vector<parameter> target_parameters() {
    return {
        optional_in_body("query", text(query_bytes_max)),
        optional_in_body(
            "systems",
            list_of(integer(1, UINT32_MAX), systems_max)
                .with_about("instead of `query`: system numbers"))};
}

operation read_operation(std::string name, std::string summary, const char* path, shape response) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .path = path,
        .gives = std::move(response),
        .needed = right::fleet_read,
        .within = scope::filtered};
}

operation change_operation(std::string name, std::string summary, verb method, std::string path) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .method = method,
        .path = std::move(path),
        .needed = right::windows_change};
}

shape removed_shape() {
    return record_of({required("removed", name())});
}

}  // namespace

result<void> windows_api::declare(registry& operations) {
    CHECK_OK(declare_calendars(operations));
    CHECK_OK(declare_schedules(operations));
    return declare_policy(operations);
}

result<void> windows_api::declare_calendars(registry& operations) {
    // Calendar URLs may contain secrets.
    auto list = read_operation(
        "calendars.list", "List calendars", calendars_path, page_of(calendar_shape()));
    list.within = scope::cluster;
    CHECK_OK(operations.add(std::move(list), handler(this, &windows_api::list_calendars)));
    auto show = read_operation(
        "calendars.show", "Get a calendar with its text", calendar_path, calendar_shape());
    show.takes = {name_in_path()};
    show.within = scope::cluster;
    CHECK_OK(operations.add(std::move(show), handler(this, &windows_api::show_calendar)));
    auto add =
        change_operation("calendars.create", "Create a calendar", verb::post, calendars_path);
    add.takes = calendar_parameters(in_body("label", name()));
    add.gives = calendar_shape();
    add.status = 201;
    add.body_bytes_max = calendar_bytes_max;
    CHECK_OK(operations.add(std::move(add), handler(this, &windows_api::add_calendar)));
    auto replace = change_operation(
        "calendars.replace", "Replace a calendar and replan its jobs", verb::put, calendar_path);
    replace.takes = calendar_parameters(name_in_path());
    replace.takes.push_back(strategy_parameter());
    replace.gives = calendar_shape();
    replace.body_bytes_max = calendar_bytes_max;
    CHECK_OK(operations.add(std::move(replace), handler(this, &windows_api::replace_calendar)));
    auto refresh = change_operation(
        "calendars.refresh",
        "Refresh a calendar from its URL",
        verb::post,
        calendar_path + std::string("/refresh"));
    refresh.takes = {name_in_path(), strategy_parameter()};
    refresh.gives = calendar_shape();
    CHECK_OK(operations.add(std::move(refresh), handler(this, &windows_api::refresh_calendar)));
    auto remove = change_operation(
        "calendars.remove", "Delete a calendar that no schedule uses", verb::remove, calendar_path);
    remove.takes = {name_in_path()};
    remove.gives = removed_shape();
    return operations.add(std::move(remove), handler(this, &windows_api::remove_calendar));
}

result<void> windows_api::declare_schedules(registry& operations) {
    auto list = read_operation(
        "windows.list", "List maintenance schedules", schedules_path, page_of(schedule_shape()));
    auto overview = list;
    overview.name = "windows.overview";
    overview.path = windows_path;
    CHECK_OK(operations.add(std::move(list), handler(this, &windows_api::list_schedules)));
    CHECK_OK(operations.add(std::move(overview), handler(this, &windows_api::list_schedules)));
    auto show = read_operation(
        "windows.show",
        "Get a maintenance schedule and its next windows",
        schedule_path,
        schedule_shape());
    show.takes = {name_in_path()};
    CHECK_OK(operations.add(std::move(show), handler(this, &windows_api::show_schedule)));
    auto list_windows = read_operation(
        "windows.times",
        "List the windows of a maintenance schedule",
        "/api/v1/windows/schedules/{name}/times",
        page_of(window_shape()));
    list_windows.takes = {
        name_in_path(),
        in_query("from", text().with_about("start, such as 2026-11-16T22:00:00Z (default now)")),
        in_query("to", text()),
        in_query(
            "count", integer(1, windows_max).with_about("maximum number of windows (default 20)"))};
    CHECK_OK(operations.add(std::move(list_windows), handler(this, &windows_api::list_windows)));
    auto overview_operation = read_operation(
        "windows.calendar",
        "List the windows of all maintenance schedules in a time range",
        "/api/v1/windows/calendar",
        overview_shape());
    overview_operation.takes = {
        in_query("from", text().with_about("start, such as 2026-11-16T22:00:00Z (default now)")),
        in_query(
            "to", text().with_about("end, at most a year after `from` (default: a month after)")),
        in_query("schedule", name().with_about("only windows of this schedule"))};
    CHECK_OK(
        operations.add(std::move(overview_operation), handler(this, &windows_api::show_overview)));
    auto add = change_operation(
        "windows.create", "Create a maintenance schedule", verb::post, schedules_path);
    add.takes = {
        in_body("name", name()), in_body("type", name()), optional_in_body("calendar", text())};
    add.gives = schedule_shape();
    add.status = 201;
    CHECK_OK(operations.add(std::move(add), handler(this, &windows_api::add_schedule)));
    auto change = change_operation(
        "windows.change",
        "Update a maintenance schedule and replan its jobs",
        verb::patch,
        schedule_path);
    change.takes = {
        name_in_path(),
        optional_in_body("type", name()),
        optional_in_body("calendar", text()),
        strategy_parameter()};
    change.gives = schedule_shape();
    CHECK_OK(operations.add(std::move(change), handler(this, &windows_api::change_schedule)));
    auto remove = change_operation(
        "windows.remove",
        "Delete a maintenance schedule that no system has",
        verb::remove,
        schedule_path);
    remove.takes = {name_in_path()};
    remove.gives = removed_shape();
    return operations.add(std::move(remove), handler(this, &windows_api::remove_schedule));
}

result<void> windows_api::declare_policy(registry& operations) {
    auto assign = change_operation(
        "windows.assign",
        "Assign a maintenance schedule to systems",
        verb::post,
        schedule_path + std::string("/assign"));
    assign.takes = target_parameters();
    assign.takes.push_back(name_in_path());
    assign.gives = assignment_shape();
    assign.within = scope::filtered;
    CHECK_OK(operations.add(std::move(assign), handler(this, &windows_api::assign)));
    auto unassign = change_operation(
        "windows.unassign",
        "Remove the maintenance schedule of systems",
        verb::post,
        "/api/v1/windows/unassign");
    unassign.takes = target_parameters();
    unassign.gives = assignment_shape();
    unassign.within = scope::filtered;
    CHECK_OK(operations.add(std::move(unassign), handler(this, &windows_api::unassign)));
    auto systems = read_operation(
        "windows.systems",
        "List systems in an open window, or systems of a maintenance schedule",
        "/api/v1/windows/systems",
        record_of(
            {required("items", list_of(anything())),
             required("systems", integer(0)),
             required("next", text().or_nothing())}));
    systems.takes = {in_query("schedule", name())};
    CHECK_OK(operations.add(std::move(systems), handler(this, &windows_api::list_systems)));
    auto show = read_operation(
        "windows.policy",
        "Get the emergency override policy of maintenance windows",
        "/api/v1/windows/policy",
        record_of({required("emergency_override", flag()), optional("permission", name())}));
    auto set = change_operation(
        "windows.set-policy",
        "Update the emergency override policy of maintenance windows",
        verb::put,
        "/api/v1/windows/policy");
    set.gives = show.gives;
    set.takes = {optional_in_body("emergency_override", flag())};
    CHECK_OK(operations.add(std::move(show), handler(this, &windows_api::show_policy)));
    return operations.add(std::move(set), handler(this, &windows_api::set_policy));
}

}  // namespace muster::api

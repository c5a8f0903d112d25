// What windows_api.h declares.

#include "api/rest/windows_api.h"

#include <utility>

namespace muster::api {
namespace {

using namespace api;
using access::right;

constexpr const char* root = "/api/v1/windows";
constexpr const char* calendars = "/api/v1/windows/calendars";
constexpr const char* calendar = "/api/v1/windows/calendars/{name}";
constexpr const char* schedules = "/api/v1/windows/schedules";
constexpr const char* schedule = "/api/v1/windows/schedules/{name}";
constexpr std::int64_t calendar_bytes_max = std::int64_t{4} << 20;
constexpr std::int64_t windows_max = 1'000;
constexpr std::int64_t query_bytes_max = 32 * std::int64_t{1024};
constexpr std::int64_t systems_max = 10'000;  // one by one

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
             "replanned", list_of(anything()).with_about("what was planned, and where it is now")),
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
             "replanned", list_of(anything()).with_about("what was planned, and where it is now")),
         optional("replaced_jobs", list_of(anything()))});
}

shape sheet_shape() {
    return record_of(
        {required(
             "items",
             list_of(record_of(
                 {required("schedule", name()),
                  required("opens", api::time()),
                  required("closes", api::time())}))),
         required("next", text().or_nothing()),
         required("more", flag().with_about("there are more windows than are shown")),
         required(
             "before", api::time().or_nothing().with_about("when the last window before closed")),
         required("after", api::time().or_nothing().with_about("when the next one opens"))});
}

shape assigned_shape() {
    return record_of(
        {required("systems", integer(0)),
         required("had_another", integer(0)),
         required("cancelled_jobs", list_of(anything()))});
}

std::vector<parameter> calendar_parameters(parameter label) {
    return {
        std::move(label),
        optional_in_body("text", text(calendar_bytes_max).with_about("iCalendar")),
        optional_in_body("url", text().with_about("instead: where it is fetched from"))};
}

parameter strategy() {
    return optional_in_body(
        "resolve_strategy",
        text().with_about("what becomes of work that no longer fits: Fail if not given"));
}

std::vector<parameter> whom() {
    return {
        optional_in_body("query", text(query_bytes_max)),
        optional_in_body(
            "systems",
            list_of(integer(1, UINT32_MAX), systems_max).with_about("instead: their numbers"))};
}

operation reading(std::string name, std::string summary, const char* path, shape gives) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .path = path,
        .gives = std::move(gives),
        .needed = right::fleet_read,
        .within = scope::filtered};
}

operation changing(std::string name, std::string summary, verb method, std::string path) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .method = method,
        .path = std::move(path),
        .needed = right::windows_change};
}

shape removed() {
    return record_of({required("removed", name())});
}

}  // namespace

result<void> windows_api::declare(registry& to) {
    CHECK_OK(declare_calendars(to));
    CHECK_OK(declare_schedules(to));
    return declare_policy(to);
}

result<void> windows_api::declare_calendars(registry& to) {
    // Their addresses may be secrets.
    auto list = reading("calendars.list", "The calendars", calendars, page_of(calendar_shape()));
    list.within = scope::cluster;
    CHECK_OK(to.add(std::move(list), done_by(this, &windows_api::list_calendars)));
    auto show = reading("calendars.show", "A calendar with its text", calendar, calendar_shape());
    show.takes = {name_in_path()};
    show.within = scope::cluster;
    CHECK_OK(to.add(std::move(show), done_by(this, &windows_api::show_calendar)));
    auto add = changing("calendars.add", "Adds a calendar", verb::post, calendars);
    add.takes = calendar_parameters(in_body("label", name()));
    add.gives = calendar_shape();
    add.status = 201;
    add.body_bytes_max = calendar_bytes_max;
    CHECK_OK(to.add(std::move(add), done_by(this, &windows_api::add_calendar)));
    auto replace = changing(
        "calendars.replace",
        "Puts another in a calendar's place; what is planned goes where it still fits",
        verb::put,
        calendar);
    replace.takes = calendar_parameters(name_in_path());
    replace.takes.push_back(strategy());
    replace.gives = calendar_shape();
    replace.body_bytes_max = calendar_bytes_max;
    CHECK_OK(to.add(std::move(replace), done_by(this, &windows_api::replace_calendar)));
    auto refresh = changing(
        "calendars.refresh",
        "Fetches a calendar from its address again",
        verb::post,
        calendar + std::string("/refresh"));
    refresh.takes = {name_in_path(), strategy()};
    refresh.gives = calendar_shape();
    CHECK_OK(to.add(std::move(refresh), done_by(this, &windows_api::refresh_calendar)));
    auto remove = changing(
        "calendars.remove",
        "Removes a calendar; refused while a schedule uses it",
        verb::remove,
        calendar);
    remove.takes = {name_in_path()};
    remove.gives = removed();
    return to.add(std::move(remove), done_by(this, &windows_api::remove_calendar));
}

result<void> windows_api::declare_schedules(registry& to) {
    auto list =
        reading("windows.list", "The maintenance schedules", schedules, page_of(schedule_shape()));
    auto short_list = list;
    short_list.name = "windows.overview";
    short_list.path = root;
    CHECK_OK(to.add(std::move(list), done_by(this, &windows_api::list_schedules)));
    CHECK_OK(to.add(std::move(short_list), done_by(this, &windows_api::list_schedules)));
    auto show = reading(
        "windows.show", "A maintenance schedule with its next windows", schedule, schedule_shape());
    show.takes = {name_in_path()};
    CHECK_OK(to.add(std::move(show), done_by(this, &windows_api::show_schedule)));
    auto times = reading(
        "windows.times",
        "When a maintenance schedule is open",
        "/api/v1/windows/schedules/{name}/times",
        page_of(window_shape()));
    times.takes = {
        name_in_path(),
        in_query("from", text().with_about("2026-11-16T22:00:00Z; now if not given")),
        in_query("to", text()),
        in_query("count", integer(1, windows_max).with_about("20 if not given"))};
    CHECK_OK(to.add(std::move(times), done_by(this, &windows_api::times)));
    auto sheet = reading(
        "windows.calendar",
        "The windows of all maintenance schedules in a span of time",
        "/api/v1/windows/calendar",
        sheet_shape());
    sheet.takes = {
        in_query("from", text().with_about("2026-11-16T22:00:00Z; now if not given")),
        in_query("to", text().with_about("a month later if not given; at most a year")),
        in_query("schedule", name().with_about("of this one alone"))};
    CHECK_OK(to.add(std::move(sheet), done_by(this, &windows_api::show_calendar_sheet)));
    auto add = changing("windows.add", "Makes a maintenance schedule", verb::post, schedules);
    add.takes = {
        in_body("name", name()), in_body("type", name()), optional_in_body("calendar", text())};
    add.gives = schedule_shape();
    add.status = 201;
    CHECK_OK(to.add(std::move(add), done_by(this, &windows_api::add_schedule)));
    auto change = changing(
        "windows.change",
        "Gives a maintenance schedule other windows; what is planned goes where it still fits",
        verb::patch,
        schedule);
    change.takes = {
        name_in_path(),
        optional_in_body("type", name()),
        optional_in_body("calendar", text()),
        strategy()};
    change.gives = schedule_shape();
    CHECK_OK(to.add(std::move(change), done_by(this, &windows_api::change_schedule)));
    auto remove = changing(
        "windows.remove",
        "Removes a maintenance schedule; its systems have none then",
        verb::remove,
        schedule);
    remove.takes = {name_in_path()};
    remove.gives = removed();
    return to.add(std::move(remove), done_by(this, &windows_api::remove_schedule));
}

result<void> windows_api::declare_policy(registry& to) {
    auto assign = changing(
        "windows.assign",
        "Gives a maintenance schedule to systems",
        verb::post,
        schedule + std::string("/assign"));
    assign.takes = whom();
    assign.takes.push_back(name_in_path());
    assign.gives = assigned_shape();
    assign.within = scope::filtered;
    CHECK_OK(to.add(std::move(assign), done_by(this, &windows_api::assign)));
    auto unassign = changing(
        "windows.unassign",
        "Takes systems' maintenance schedule away",
        verb::post,
        "/api/v1/windows/unassign");
    unassign.takes = whom();
    unassign.gives = assigned_shape();
    unassign.within = scope::filtered;
    CHECK_OK(to.add(std::move(unassign), done_by(this, &windows_api::unassign)));
    auto systems = reading(
        "windows.systems",
        "The systems that are in a window now, or have a maintenance schedule",
        "/api/v1/windows/systems",
        record_of(
            {required("items", list_of(anything())),
             required("systems", integer(0)),
             required("next", text().or_nothing())}));
    systems.takes = {in_query("schedule", name())};
    CHECK_OK(to.add(std::move(systems), done_by(this, &windows_api::list_systems)));
    auto show = reading(
        "windows.policy",
        "Whether somebody may start outside of windows in an emergency",
        "/api/v1/windows/policy",
        record_of({required("emergency_override", flag()), optional("permission", name())}));
    auto set = changing(
        "windows.set-policy",
        "Says whether somebody may start outside of windows in an emergency",
        verb::put,
        "/api/v1/windows/policy");
    set.gives = show.gives;
    set.takes = {optional_in_body("emergency_override", flag())};
    CHECK_OK(to.add(std::move(show), done_by(this, &windows_api::show_policy)));
    return to.add(std::move(set), done_by(this, &windows_api::set_policy));
}

}  // namespace muster::api

// The part of windows_api that only reads.

#include "api/rest/windows_api.h"
#include "api/rest/windows_json.h"
#include "base/iso_time.h"
#include "core/schedules/schedule.h"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t windows_usual = 20;  // what the next-windows list of an action offers
constexpr std::size_t systems_max = 1'000;
constexpr std::size_t sheet_windows_max = 2'000;
constexpr std::chrono::days sheet_usual{31};
constexpr std::chrono::days sheet_max{366};
constexpr std::chrono::days sheet_look_back{366};

reply listed(json::array items) {
    return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

result<std::optional<wall_time>> time_asked(const call& call, std::string_view name) {
    const auto text = call.optional_text(name);
    if (!text) return std::optional<wall_time>();
    const auto no_zones = [](std::string_view) -> result<windows::zone_pointer> {
        return fail(errc::not_found, "");
    };
    const auto read =
        schedules::parse_timing({.at = *text, .cron = {}, .rrule = {}, .zone = {}}, no_zones);
    if (!read)
        return fail(
            errc::invalid, "`" + std::string(name) + "` wants a time such as 2026-11-16T22:00:00Z");
    return std::optional(std::get<schedules::once>(*read).at);
}

}  // namespace

async<reply> windows_api::list_calendars(call /*asked*/) {
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [label, kept] : now->calendars) items.push_back(calendar_json(label, kept));
    co_return listed(std::move(items));
}

async<reply> windows_api::show_calendar(call call) {
    CO_TRY(const auto now, current());
    const std::string label = call.text("name");
    const auto it = now->calendars.find(label);
    if (it == now->calendars.end())
        co_return fail(errc::not_found, "there is no calendar " + label);
    auto output = calendar_json(label, it->second);
    output["text"] = it->second.stored->text;
    co_return reply{std::move(output)};
}

async<reply> windows_api::list_schedules(call /*asked*/) {
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [name, kept] : now->maintenance) {
        CO_TRY(auto output, schedule_json(*now, name, deps_.clock.wall()));
        items.push_back(std::move(output));
    }
    co_return listed(std::move(items));
}

async<reply> windows_api::show_schedule(call call) {
    CO_TRY(const auto now, current());
    const std::string name = call.text("name");
    const auto at = deps_.clock.wall();
    CO_TRY(auto output, schedule_json(*now, name, at));
    CO_TRY(const auto next, now->when(name).next(at, windows_usual));
    output["next"] = windows_json(next);
    co_return reply{std::move(output)};
}

async<reply> windows_api::times(call call) {
    CO_TRY(const auto now, current());
    const auto count =
        static_cast<std::size_t>(call.optional_integer("count").value_or(windows_usual));
    CO_TRY(const auto from, time_asked(call, "from"));
    CO_TRY(const auto to, time_asked(call, "to"));
    const std::string name = call.text("name");
    const auto it = now->maintenance.find(name);
    if (it == now->maintenance.end())
        co_return fail(errc::not_found, "there is no maintenance schedule " + name);
    const auto begin = from.value_or(deps_.clock.wall());
    const auto end = to.value_or(begin + windows::timetable_limits::look_ahead);
    if (end - begin > windows::timetable_limits::look_ahead)
        co_return fail(errc::invalid, "`from` and `to` are at most ten years apart");
    CO_TRY(const auto spans, it->second.when.windows_between(begin, end, count));
    co_return listed(windows_json(spans));
}

namespace {

struct sheet {
    std::vector<std::pair<windows::window, std::string>> found = {};
    std::optional<wall_time> before = {};
    std::optional<wall_time> after = {};
    bool more = false;
};

// What one schedule has in the span, and its nearest windows outside of it.
result<void> put_windows(
    sheet& into, const std::string& name, const windows::timetable& when, windows::window span) {
    TRY(const auto within, when.windows_between(span.opens, span.closes, sheet_windows_max + 1));
    for (const auto& each : within) into.found.emplace_back(each, name);
    TRY(const auto coming,
        when.windows_between(span.closes, span.closes + windows::timetable_limits::look_ahead, 2));
    for (const auto& each : coming) {
        if (each.opens < span.closes) continue;
        into.after = std::min(into.after.value_or(each.opens), each.opens);
    }
    TRY(const auto past,
        when.windows_between(
            span.opens - sheet_look_back, span.opens, windows::timetable_limits::windows_max));
    for (const auto& each : past) {
        if (each.closes > span.opens) continue;
        into.before = std::max(into.before.value_or(each.closes), each.closes);
    }
    return {};
}

json::value time_json(const std::optional<wall_time>& when) {
    return when ? json::value(iso_time(*when)) : json::value();
}

}  // namespace

async<reply> windows_api::show_calendar_sheet(call call) {
    CO_TRY(const auto now, current());
    CO_TRY(const auto from, time_asked(call, "from"));
    CO_TRY(const auto to, time_asked(call, "to"));
    const auto only = call.optional_text("schedule");
    if (only && !now->maintenance.contains(*only))
        co_return fail(errc::not_found, "there is no maintenance schedule " + *only);
    const auto begin = from.value_or(deps_.clock.wall());
    const auto end = to.value_or(begin + sheet_usual);
    if (end <= begin || end - begin > sheet_max)
        co_return fail(errc::invalid, "`to` must be after `from`, by a year at most");
    sheet all;
    for (const auto& [name, kept] : now->maintenance) {
        if (only && name != *only) continue;
        CO_CHECK_OK(put_windows(all, name, kept.when, {.opens = begin, .closes = end}));
        // Of many schedules no more is kept than is shown.
        std::ranges::sort(all.found, {}, [](const auto& each) {
            return std::pair(each.first.opens, each.second);
        });
        all.more = all.more || all.found.size() > sheet_windows_max;
        if (all.found.size() > sheet_windows_max) all.found.resize(sheet_windows_max);
    }
    json::array items;
    for (const auto& [when, name] : all.found) {
        auto output = window_json(when);
        output["schedule"] = name;
        items.push_back(std::move(output));
    }
    co_return reply{json::object{
        {"items", std::move(items)},
        {"next", nullptr},
        {"more", all.more},
        {"before", time_json(all.before)},
        {"after", time_json(all.after)}}};
}

async<reply> windows_api::list_systems(call call) {
    CO_TRY(const auto now, current());
    const auto schedule = call.optional_text("schedule");
    if (schedule && !now->maintenance.contains(*schedule))
        co_return fail(errc::not_found, "there is no maintenance schedule " + *schedule);
    CO_TRY(auto systems, now->in_window(deps_.clock.wall()));
    if (schedule) systems = now->systems_of(*schedule);
    if (call.zones()) systems = deps_.targets.among(*call.zones(), systems);
    json::array items;
    for (const auto& number : systems.page(system_number(0), systems_max)) {
        const auto record = deps_.systems.find(number);
        items.push_back(json::object{
            {"number", number.value()},
            {"name", record ? json::value(record->name) : json::value()},
            {"schedule", now->schedule_of(number).value_or("")}});
    }
    co_return reply{
        json::object{{"items", std::move(items)}, {"systems", systems.size()}, {"next", nullptr}}};
}

async<reply> windows_api::show_policy(call /*asked*/) {
    CO_TRY(const auto now, current());
    co_return reply{json::object{
        {"emergency_override", now->policy.emergency_override},
        {"permission", windows::override_permission}}};
}

}  // namespace muster::api

// windows_api: read operations.

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

constexpr std::size_t windows_default = 20;  // as in the next-windows list of an action
constexpr std::size_t systems_max = 1'000;
constexpr std::size_t overview_windows_max = 2'000;
constexpr std::chrono::days overview_default{31};
constexpr std::chrono::days overview_max{366};
constexpr std::chrono::days look_back{366};

reply list_reply(json::array items) {
    return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

result<std::optional<wall_time>> read_time(const call& call, std::string_view name) {
    const auto text = call.optional_text(name);
    if (!text) return std::optional<wall_time>();
    const auto no_zones = [](std::string_view) -> result<windows::time_zone_pointer> {
        return fail(errc::not_found, "");
    };
    const auto timing =
        schedules::parse_timing({.at = *text, .cron = {}, .rrule = {}, .zone = {}}, no_zones);
    if (!timing)
        return fail(
            errc::invalid,
            "`" + std::string(name) + "` must be a time such as 2026-11-16T22:00:00Z");
    return std::optional(std::get<schedules::once>(*timing).at);
}

}  // namespace

async<reply> windows_api::list_calendars(call /*call*/) {
    CO_TRY(const auto snapshot, current());
    json::array items;
    for (const auto& [label, entry] : snapshot->calendars)
        items.push_back(calendar_json(label, entry));
    co_return list_reply(std::move(items));
}

async<reply> windows_api::show_calendar(call call) {
    CO_TRY(const auto snapshot, current());
    const std::string label = call.text("name");
    const auto it = snapshot->calendars.find(label);
    if (it == snapshot->calendars.end())
        co_return fail(errc::not_found, "calendar \"" + label + "\" not found");
    auto output = calendar_json(label, it->second);
    output["text"] = it->second.stored->text;
    co_return reply{std::move(output)};
}

async<reply> windows_api::list_schedules(call /*call*/) {
    CO_TRY(const auto snapshot, current());
    json::array items;
    for (const auto& [name, entry] : snapshot->maintenance) {
        CO_TRY(auto output, schedule_json(*snapshot, name, deps_.clock.wall()));
        items.push_back(std::move(output));
    }
    co_return list_reply(std::move(items));
}

async<reply> windows_api::show_schedule(call call) {
    CO_TRY(const auto snapshot, current());
    const std::string name = call.text("name");
    const auto now = deps_.clock.wall();
    CO_TRY(auto output, schedule_json(*snapshot, name, now));
    CO_TRY(const auto next, snapshot->windows_of(name).next(now, windows_default));
    output["next"] = windows_json(next);
    co_return reply{std::move(output)};
}

async<reply> windows_api::list_windows(call call) {
    CO_TRY(const auto snapshot, current());
    const auto count =
        static_cast<std::size_t>(call.optional_integer("count").value_or(windows_default));
    CO_TRY(const auto from, read_time(call, "from"));
    CO_TRY(const auto to, read_time(call, "to"));
    const std::string name = call.text("name");
    const auto it = snapshot->maintenance.find(name);
    if (it == snapshot->maintenance.end())
        co_return fail(errc::not_found, "maintenance schedule \"" + name + "\" not found");
    const auto begin = from.value_or(deps_.clock.wall());
    const auto end = to.value_or(begin + windows::window_schedule_limits::look_ahead);
    if (end - begin > windows::window_schedule_limits::look_ahead)
        co_return fail(errc::invalid, "`from` and `to` must be at most ten years apart");
    CO_TRY(const auto spans, it->second.windows.windows_between(begin, end, count));
    co_return list_reply(windows_json(spans));
}

namespace {

struct window_overview {
    std::vector<std::pair<windows::window, std::string>> windows = {};
    std::optional<wall_time> before = {};
    std::optional<wall_time> after = {};
    bool more = false;
};

// Adds the windows of one schedule within the span, and its nearest windows outside of it.
result<void> add_windows(
    window_overview& overview,
    const std::string& name,
    const windows::window_schedule& schedule,
    windows::window span) {
    TRY(const auto inside,
        schedule.windows_between(span.opens, span.closes, overview_windows_max + 1));
    for (const auto& window : inside) overview.windows.emplace_back(window, name);
    TRY(const auto upcoming,
        schedule.windows_between(
            span.closes, span.closes + windows::window_schedule_limits::look_ahead, 2));
    for (const auto& window : upcoming) {
        if (window.opens < span.closes) continue;
        overview.after = std::min(overview.after.value_or(window.opens), window.opens);
    }
    TRY(const auto past,
        schedule.windows_between(
            span.opens - look_back, span.opens, windows::window_schedule_limits::windows_max));
    for (const auto& window : past) {
        if (window.closes > span.opens) continue;
        overview.before = std::max(overview.before.value_or(window.closes), window.closes);
    }
    return {};
}

json::value time_json(const std::optional<wall_time>& time) {
    return time ? json::value(iso_time(*time)) : json::value();
}

}  // namespace

async<reply> windows_api::show_overview(call call) {
    CO_TRY(const auto snapshot, current());
    CO_TRY(const auto from, read_time(call, "from"));
    CO_TRY(const auto to, read_time(call, "to"));
    const auto only_schedule = call.optional_text("schedule");
    if (only_schedule && !snapshot->maintenance.contains(*only_schedule))
        co_return fail(
            errc::not_found, "maintenance schedule \"" + *only_schedule + "\" not found");
    const auto begin = from.value_or(deps_.clock.wall());
    const auto end = to.value_or(begin + overview_default);
    if (end <= begin || end - begin > overview_max)
        co_return fail(errc::invalid, "`to` must be after `from` and at most a year later");
    window_overview overview;
    for (const auto& [name, entry] : snapshot->maintenance) {
        if (only_schedule && name != *only_schedule) continue;
        CO_CHECK_OK(add_windows(overview, name, entry.windows, {.opens = begin, .closes = end}));
        // Keep no more windows than are shown.
        std::ranges::sort(overview.windows, {}, [](const auto& item) {
            return std::pair(item.first.opens, item.second);
        });
        overview.more = overview.more || overview.windows.size() > overview_windows_max;
        if (overview.windows.size() > overview_windows_max)
            overview.windows.resize(overview_windows_max);
    }
    json::array items;
    for (const auto& [window, name] : overview.windows) {
        auto output = window_json(window);
        output["schedule"] = name;
        items.push_back(std::move(output));
    }
    co_return reply{json::object{
        {"items", std::move(items)},
        {"next", nullptr},
        {"more", overview.more},
        {"before", time_json(overview.before)},
        {"after", time_json(overview.after)}}};
}

async<reply> windows_api::list_systems(call call) {
    CO_TRY(const auto snapshot, current());
    const auto schedule = call.optional_text("schedule");
    if (schedule && !snapshot->maintenance.contains(*schedule))
        co_return fail(errc::not_found, "maintenance schedule \"" + *schedule + "\" not found");
    CO_TRY(auto systems, snapshot->systems_in_window(deps_.clock.wall()));
    if (schedule) systems = snapshot->systems_of(*schedule);
    if (call.zones()) systems = deps_.targets.among(*call.zones(), systems);
    json::array items;
    for (const auto& number : systems.page(system_number(0), systems_max)) {
        const auto record = deps_.systems.find(number);
        items.push_back(json::object{
            {"number", number.value()},
            {"name", record ? json::value(record->name) : json::value()},
            {"schedule", snapshot->schedule_of(number).value_or("")}});
    }
    co_return reply{
        json::object{{"items", std::move(items)}, {"systems", systems.size()}, {"next", nullptr}}};
}

async<reply> windows_api::show_policy(call /*call*/) {
    CO_TRY(const auto snapshot, current());
    co_return reply{json::object{
        {"emergency_override", snapshot->policy.emergency_override},
        {"permission", windows::override_permission}}};
}

}  // namespace muster::api

// The part of windows_api that only reads.

#include "core/schedules/schedule.h"
#include "roles/cluster/record.h"
#include "roles/gateway/windows_api.h"
#include "roles/gateway/windows_json.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t windows_usual = 20;  // what the next-windows list of an action offers
constexpr std::size_t windows_max = 1'000;
constexpr std::size_t systems_max = 1'000;

http::response told(const json::value& what) {
    return no_store(http::json(200, json::serialize(what)));
}

http::response listed(json::array items) {
    return told(json::object{{"items", std::move(items)}, {"next", nullptr}});
}

result<std::optional<wall_time>> time_asked(const http::request& asked, std::string_view name) {
    const auto text = asked.query(name);
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

result<std::size_t> count_asked(const http::request& asked) {
    const auto text = asked.query("count");
    if (!text) return windows_usual;
    std::size_t count = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), count);
    if (read.ec != std::errc() || read.ptr != text->data() + text->size() || count == 0
        || count > windows_max)
        return fail(errc::invalid, "`count` must be from 1 to 1000");
    return count;
}

}  // namespace

windows_api::answer windows_api::list_calendars(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [label, kept] : now->calendars) items.push_back(calendar_json(label, kept));
    co_return listed(std::move(items));
}

windows_api::answer windows_api::show_calendar(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    const std::string label = asked.captured("name");
    const auto found = now->calendars.find(label);
    if (found == now->calendars.end())
        co_return fail(errc::not_found, "there is no calendar " + label);
    auto shown = calendar_json(label, found->second);
    shown["text"] = found->second.stored->text;
    co_return told(shown);
}

windows_api::answer windows_api::list_schedules(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    json::array items;
    for (const auto& [name, kept] : now->maintenance) {
        CO_TRY(auto shown, schedule_json(*now, name, around_.time.wall()));
        items.push_back(std::move(shown));
    }
    co_return listed(std::move(items));
}

windows_api::answer windows_api::show_schedule(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    const std::string name = asked.captured("name");
    const auto at = around_.time.wall();
    CO_TRY(auto shown, schedule_json(*now, name, at));
    CO_TRY(const auto next, now->when(name).next(at, windows_usual));
    shown["next"] = windows_json(next);
    co_return told(shown);
}

windows_api::answer windows_api::times(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    CO_TRY(const auto count, count_asked(asked));
    CO_TRY(const auto from, time_asked(asked, "from"));
    CO_TRY(const auto to, time_asked(asked, "to"));
    const std::string name = asked.captured("name");
    const auto found = now->maintenance.find(name);
    if (found == now->maintenance.end())
        co_return fail(errc::not_found, "there is no maintenance schedule " + name);
    const auto begin = from.value_or(around_.time.wall());
    const auto end = to.value_or(begin + windows::timetable_limits::look_ahead);
    if (end - begin > windows::timetable_limits::look_ahead)
        co_return fail(errc::invalid, "`from` and `to` are at most ten years apart");
    CO_TRY(const auto spans, found->second.when.windows_between(begin, end, count));
    co_return listed(windows_json(spans));
}

windows_api::answer windows_api::list_systems(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    const auto schedule = asked.query("schedule");
    if (schedule && !now->maintenance.contains(*schedule))
        co_return fail(errc::not_found, "there is no maintenance schedule " + *schedule);
    CO_TRY(auto systems, now->in_window(around_.time.wall()));
    if (schedule) systems = now->systems_of(*schedule);
    json::array items;
    for (const auto& number : systems.page(system_number(0), systems_max)) {
        const auto record = around_.known.find(number);
        items.push_back(json::object{
            {"number", number.value()},
            {"name", record ? json::value(record->name) : json::value()},
            {"schedule", now->schedule_of(number).value_or("")}});
    }
    co_return told(
        json::object{{"items", std::move(items)}, {"systems", systems.size()}, {"next", nullptr}});
}

windows_api::answer windows_api::show_policy(request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto now, current());
    co_return told(json::object{
        {"emergency_override", now->policy.emergency_override},
        {"permission", windows::override_permission}});
}

}  // namespace muster::gateway

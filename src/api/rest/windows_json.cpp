#include "api/rest/windows_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>
#include <variant>

namespace muster::api {
namespace {

namespace json = boost::json;

json::object decision_json(const windows::replan_decision& decision) {
    json::object result{{"job", decision.plan.job}, {"was", iso_time(decision.plan.at)}};
    if (const auto* const moved = std::get_if<windows::moved>(&decision.action)) {
        result["verdict"] = "moved";
        result["to"] = iso_time(moved->start);
        result["by"] = windows::to_string(moved->strategy);
    } else {
        const bool is_kept = std::holds_alternative<windows::kept>(decision.action);
        result["verdict"] = is_kept ? "kept" : "cancelled";
    }
    return result;
}

}  // namespace

json::object window_json(const windows::window& window) {
    return {{"opens", iso_time(window.opens)}, {"closes", iso_time(window.closes)}};
}

json::array windows_json(std::span<const windows::window> windows) {
    json::array items;
    for (const auto& window : windows) items.push_back(window_json(window));
    return items;
}

json::array decisions_json(std::span<const windows::replan_decision> decisions) {
    json::array items;
    for (const auto& decision : decisions) items.push_back(decision_json(decision));
    return items;
}

json::object forecast_json(const jobs::window_forecast& forecast) {
    json::array window_items;
    for (const auto& count : forecast.counts.windows) {
        auto item = window_json(count.window);
        item["schedule"] = count.schedule;
        item["finished"] = count.finished;
        window_items.push_back(std::move(item));
    }
    json::array rest_items;
    for (const auto& group : forecast.counts.rest)
        rest_items.push_back(json::object{
            {"schedule", group.schedule}, {"systems", group.systems}, {"why", group.reason}});
    return {
        {"windows", std::move(window_items)},
        {"rest", std::move(rest_items)},
        {"without_schedule", forecast.counts.without_schedule},
        {"expected_seconds", forecast.expected.count()},
        {"waiting", forecast.waiting.count},
        {"opens",
         forecast.waiting.opens ? json::value(iso_time(*forecast.waiting.opens)) : json::value()}};
}

json::object calendar_json(
    const std::string& label, const windows::window_snapshot::parsed_calendar& calendar) {
    json::array names;
    for (const auto& name : calendar.parsed->summaries()) names.emplace_back(name);
    return {
        {"label", label},
        {"url", calendar.stored->url},
        {"fetched",
         calendar.stored->fetched == wall_time() ? json::value()
                                                 : json::value(iso_time(calendar.stored->fetched))},
        {"last_error",
         calendar.stored->last_error.empty() ? json::value()
                                             : json::value(calendar.stored->last_error)},
        {"events", calendar.parsed->events().size()},
        {"summaries", std::move(names)},
        {"changed", iso_time(calendar.row.changed)},
        {"changed_by", calendar.row.changed_by}};
}

result<json::object> schedule_json(
    const windows::window_snapshot& snapshot, const std::string& name, wall_time now) {
    const auto it = snapshot.maintenance.find(name);
    if (it == snapshot.maintenance.end())
        return fail(errc::not_found, "maintenance schedule \"" + name + "\" not found");
    const auto& schedule = it->second;
    TRY(const auto next, schedule.windows.next(now, 1));
    const bool open = !next.empty() && next.front().is_open(now);
    return json::object{
        {"name", name},
        {"type", schedule.stored.type},
        {"calendar", schedule.stored.calendar},
        {"systems", snapshot.systems_of(name).size()},
        {"open", open},
        {"opens", next.empty() ? json::value() : json::value(iso_time(next[0].opens))},
        {"closes", next.empty() ? json::value() : json::value(iso_time(next[0].closes))},
        {"changed", iso_time(schedule.row.changed)},
        {"changed_by", schedule.row.changed_by}};
}

}  // namespace muster::api

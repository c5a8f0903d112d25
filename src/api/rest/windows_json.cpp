#include "api/rest/windows_json.h"

#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>
#include <variant>

namespace muster::api {
namespace {

namespace json = boost::json;

json::object verdict_json(const windows::replanned& of) {
    json::object result{{"job", of.plan.job}, {"was", iso_time(of.plan.at)}};
    if (const auto* const moved = std::get_if<windows::moved>(&of.verdict)) {
        result["verdict"] = "moved";
        result["to"] = iso_time(moved->to);
        result["by"] = windows::to_string(moved->by);
    } else {
        const bool stored = std::holds_alternative<windows::kept>(of.verdict);
        result["verdict"] = stored ? "kept" : "cancelled";
    }
    return result;
}

}  // namespace

json::object window_json(const windows::window& of) {
    return {{"opens", iso_time(of.opens)}, {"closes", iso_time(of.closes)}};
}

json::array windows_json(std::span<const windows::window> of) {
    json::array all;
    for (const auto& each : of) all.push_back(window_json(each));
    return all;
}

json::array json_of(std::span<const windows::replanned> plans) {
    json::array all;
    for (const auto& plan : plans) all.push_back(verdict_json(plan));
    return all;
}

json::object forecast_json(const jobs::window_forecast& of) {
    json::array lines;
    for (const auto& count : of.counts.windows) {
        auto line = window_json(count.within);
        line["schedule"] = count.schedule;
        line["finished"] = count.finished;
        lines.push_back(std::move(line));
    }
    json::array rest;
    for (const auto& each : of.counts.rest)
        rest.push_back(json::object{
            {"schedule", each.schedule}, {"systems", each.systems}, {"why", each.why}});
    return {
        {"windows", std::move(lines)},
        {"rest", std::move(rest)},
        {"without_schedule", of.counts.without_schedule},
        {"expected_seconds", of.expected.count()},
        {"waiting", of.waiting.count},
        {"opens", of.waiting.opens ? json::value(iso_time(*of.waiting.opens)) : json::value()}};
}

json::object calendar_json(
    const std::string& label, const windows::window_snapshot::parsed_calendar& of) {
    json::array names;
    for (const auto& name : of.read->names()) names.emplace_back(name);
    return {
        {"label", label},
        {"url", of.stored->url},
        {"fetched",
         of.stored->fetched == wall_time() ? json::value()
                                           : json::value(iso_time(of.stored->fetched))},
        {"last_error",
         of.stored->last_error.empty() ? json::value() : json::value(of.stored->last_error)},
        {"events", of.read->events().size()},
        {"summaries", std::move(names)},
        {"changed", iso_time(of.row.changed)},
        {"changed_by", of.row.changed_by}};
}

result<json::object> schedule_json(
    const windows::window_snapshot& in, const std::string& name, wall_time now) {
    const auto it = in.maintenance.find(name);
    if (it == in.maintenance.end())
        return fail(errc::not_found, "there is no maintenance schedule " + name);
    const auto& stored = it->second;
    TRY(const auto next, stored.when.next(now, 1));
    const bool open = !next.empty() && next.front().is_open(now);
    return json::object{
        {"name", name},
        {"type", stored.stored.type},
        {"calendar", stored.stored.calendar},
        {"systems", in.systems_of(name).size()},
        {"open", open},
        {"opens", next.empty() ? json::value() : json::value(iso_time(next[0].opens))},
        {"closes", next.empty() ? json::value() : json::value(iso_time(next[0].closes))},
        {"changed", iso_time(stored.row.changed)},
        {"changed_by", stored.row.changed_by}};
}

}  // namespace muster::api

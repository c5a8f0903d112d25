#include "apps/muster/server/jobs_front.h"

#include "core/windows/admission.h"
#include "core/windows/forecast.h"
#include "roles/gateway/windows_json.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::server {
namespace {

namespace json = boost::json;

constexpr std::size_t windows_foreseen = 10;

json::object told(const windows::forecast& foreseen) {
    json::array lines;
    for (const auto& each : foreseen.windows) {
        auto line = gateway::window_json(each.within);
        line["schedule"] = each.schedule;
        line["finished"] = each.finished;
        lines.push_back(std::move(line));
    }
    json::array rest;
    for (const auto& each : foreseen.rest)
        rest.push_back(json::object{
            {"schedule", each.schedule}, {"systems", each.systems}, {"why", each.why}});
    return {
        {"windows", std::move(lines)},
        {"rest", std::move(rest)},
        {"without_schedule", foreseen.without_schedule}};
}

// How many systems a job will finish in which window. Null for a job that heeds none.
result<json::value> foresee(
    const windows::window_book& book, const jobs::job_desk::plan& made, wall_time now) {
    if (made.spec.windows != job_spec::window_rule::respect) return json::value(nullptr);
    const auto view = book.current();
    if (!view) return fail(errc::unavailable, "the server is still reading the windows");
    std::vector<windows::forecast_group> groups;
    for (const auto& [schedule, systems] : view->grouped(made.who.targets)) {
        windows::forecast_group group{
            .schedule = schedule, .systems = systems.size(), .coming = {}};
        if (!schedule.empty()) {
            TRY(group.coming, view->when(schedule).next(now, windows_foreseen));
        }
        groups.push_back(std::move(group));
    }
    const windows::forecast_limits limits{
        .concurrency = made.places.value_or(0),
        .starts_per_second = made.spec.rollout.rate.value_or(0)};
    return json::value(told(windows::foresee(groups, limits, now)));
}

gateway::returns_api::window_answer window_of(
    const windows::window_book& book, system_number system, wall_time now) {
    const auto view = book.current();
    if (!view) return {.opens = {}, .never = "the server is still reading the windows"};
    const auto schedule = view->schedule_of(system);
    if (!schedule) return {};
    const auto coming = view->when(*schedule).next(now, 1);
    if (!coming) return {.opens = {}, .never = coming.error().detail()};
    if (coming->empty())
        return {.opens = {}, .never = "its maintenance schedule " + *schedule + " has no window"};
    return {.opens = coming->front().opens, .never = {}};
}

}  // namespace

jobs_front::jobs_front(const surroundings& around)
    : windows_(around.windows),
      time_(around.time),
      targets_({.known = around.systems, .seen = around.seen, .resolve = around.resolve}),
      reader_(around.records, around.board, around.time),
      desk_(
          {.records = around.records,
           .board = around.board,
           .store = around.store,
           .attached =
               [this](const fleet::system_set& among) {
                   return targets_.attached(among);
               }},
          {.safe = around.safe}),
      jobs_(
          {.desk = around.desk,
           .makes = desk_,
           .reads = reader_,
           .targets = targets_,
           .time = around.time,
           .forecast =
               [this](const jobs::job_desk::plan& made) {
                   return foresee(windows_, made, time_.wall());
               }}),
      returns_(
          {.desk = around.desk,
           .reads = reader_,
           .targets = targets_,
           .places = around.places,
           .time = around.time,
           .windows =
               [this](system_number system) {
                   return window_of(windows_, system, time_.wall());
               }}),
      nodes_(
          {.systems = around.systems,
           .places = around.places,
           .time = around.time,
           .tls = around.peer_tls}),
      output_(
          {.desk = around.desk,
           .reads = reader_,
           .targets = targets_,
           .nodes = nodes_,
           .time = around.time}),
      running_({.desk = around.desk, .targets = targets_, .nodes = nodes_, .time = around.time}) {}

result<void> jobs_front::add_routes(net::http::router& to) {
    CHECK_OK(jobs_.add_routes(to));
    CHECK_OK(returns_.add_routes(to));
    CHECK_OK(output_.add_routes(to));
    return running_.add_routes(to);
}

}  // namespace muster::server

#include "apps/muster/server/window_sense.h"

#include "core/windows/admission.h"
#include "core/windows/forecast.h"
#include "roles/gateway/windows_json.h"

#include <boost/json.hpp>

#include <cmath>
#include <utility>

namespace muster::server {
namespace {

namespace json = boost::json;
using answer = gateway::returns_api::window_answer;

constexpr std::size_t windows_foreseen = 10;

json::object told(const windows::forecast& foreseen, std::chrono::seconds expected) {
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
        {"without_schedule", foreseen.without_schedule},
        {"expected_seconds", expected.count()}};
}

}  // namespace

std::chrono::seconds expected_of(const jobs::duration_history::measured& took) {
    const auto seconds = [](double count) {
        return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(count)));
    };
    return windows::expected_duration(
        {.mean = seconds(took.mean), .deviation = seconds(took.deviation), .samples = took.samples},
        {});
}

async<json::value> window_sense::foresee(jobs::job_desk::plan made) {
    if (made.spec.windows != job_spec::window_rule::respect) co_return json::value(nullptr);
    const auto view = book_.current();
    if (!view) co_return fail(errc::unavailable, "the server is still reading the windows");
    CO_TRY(const auto took, co_await durations_.measure(made.spec));
    const auto expected = expected_of(took);
    const auto now = time_.wall();
    std::vector<windows::forecast_group> groups;
    for (const auto& [schedule, systems] : view->grouped(made.who.targets)) {
        windows::forecast_group group{
            .schedule = schedule, .systems = systems.size(), .coming = {}, .expected = expected};
        if (!schedule.empty()) {
            CO_TRY(group.coming, view->when(schedule).next(now, windows_foreseen));
        }
        groups.push_back(std::move(group));
    }
    const windows::forecast_limits limits{
        .concurrency = made.places.value_or(0),
        .starts_per_second = made.spec.rollout.rate.value_or(0)};
    co_return json::value(told(windows::foresee(groups, limits, now), expected));
}

result<void> window_sense::check_start(
    const job_spec& spec, const fleet::system_set& targets) const {
    if (spec.windows != job_spec::window_rule::respect || !spec.not_before) return {};
    const auto view = book_.current();
    if (!view) return fail(errc::unavailable, "the server is still reading the windows");
    for (const auto& [schedule, systems] : view->grouped(targets)) {
        if (schedule.empty()) continue;
        const auto well = windows::check_planned_start(view->when(schedule), *spec.not_before);
        if (!well)
            return fail(
                well.error().code(),
                "`at`: for " + std::to_string(systems.size()) + " systems with the schedule "
                    + schedule + ", " + well.error().detail()
                    + "; without `at` each system starts in its next window");
    }
    return {};
}

result<void> window_sense::check_override(const job_spec& spec) const {
    if (spec.windows != job_spec::window_rule::override) return {};
    const auto view = book_.current();
    if (!view) return fail(errc::unavailable, "the server is still reading the windows");
    if (view->policy.emergency_override) return {};
    return fail(
        errc::denied,
        "starting outside of maintenance windows in an emergency is forbidden by policy; who may "
        "change that does it with: muster windows override");
}

async<answer> window_sense::of(system_number system, job_spec work) {
    const auto view = book_.current();
    if (!view) co_return answer{.opens = {}, .why = "the server is still reading the windows"};
    const auto schedule = view->schedule_of(system);
    if (!schedule) co_return answer{};
    const auto now = time_.wall();
    const auto coming = view->when(*schedule).next(now, windows_foreseen);
    if (!coming) co_return answer{.opens = {}, .why = coming.error().detail()};
    if (coming->empty())
        co_return answer{
            .opens = {}, .why = "its maintenance schedule " + *schedule + " has no window"};
    CO_TRY(const auto took, co_await durations_.measure(std::move(work)));
    const auto said =
        windows::admit({.now = now, .coming = *coming, .expected = expected_of(took)}, {});
    if (const auto* const later = std::get_if<windows::wait>(&said))
        co_return answer{.opens = later->until, .why = later->why};
    if (const auto* const not_ever = std::get_if<windows::never>(&said))
        co_return answer{.opens = {}, .why = not_ever->why};
    co_return answer{};
}

}  // namespace muster::server

#include "apps/muster/server/window_sense.h"

#include "base/iso_time.h"
#include "core/windows/admission.h"
#include "core/windows/forecast.h"
#include "roles/gateway/windows_json.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

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

// Where the window limits the start alone, that is what counts.
windows::admission_policy policy_of(const job_spec& spec) {
    using fit = windows::admission_policy::fit;
    const bool start_only = spec.windows == job_spec::window_rule::start;
    return {.rule = start_only ? fit::start_within : fit::finish_within};
}

// Who cannot start at once, and when the first of them can.
struct waiting_systems {
    std::uint64_t count = 0;
    std::optional<wall_time> opens = std::nullopt;

    void add(const windows::forecast_group& group, wall_time now) {
        if (group.schedule.empty()) return;
        const auto said = windows::admit(
            {.now = now, .coming = group.coming, .expected = group.expected}, {.rule = group.rule});
        if (std::holds_alternative<windows::start>(said)) return;
        count += group.systems;
        const auto* const later = std::get_if<windows::wait>(&said);
        if (later != nullptr) opens = std::min(opens.value_or(later->until), later->until);
    }
};

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
    if (!heeds_windows(made.spec)) co_return json::value(nullptr);
    const auto view = book_.current();
    if (!view) co_return fail(errc::unavailable, "the server is still reading the windows");
    const auto parts = view->grouped(made.who.targets);
    const bool met =
        std::ranges::any_of(parts, [](const auto& part) { return !part.first.empty(); });
    jobs::duration_history::measured took;
    if (met) {
        CO_TRY(took, co_await durations_.measure(made.spec));
    }
    const auto expected = expected_of(took);
    const auto begin = made.spec.not_before.value_or(time_.wall());
    const auto now = std::max(begin, time_.wall());
    std::vector<windows::forecast_group> groups;
    waiting_systems waiting;
    for (const auto& [schedule, systems] : parts) {
        windows::forecast_group group{
            .schedule = schedule,
            .systems = systems.size(),
            .coming = {},
            .expected = expected,
            .rule = policy_of(made.spec).rule,
            .until = begin + std::chrono::floor<wall_time::duration>(made.spec.expires_after)};
        if (!schedule.empty()) {
            CO_TRY(group.coming, view->when(schedule).next(now, windows_foreseen));
        }
        waiting.add(group, now);
        groups.push_back(std::move(group));
    }
    const windows::forecast_limits limits{
        .concurrency = made.places.value_or(0),
        .starts_per_second = made.spec.rollout.rate.value_or(0)};
    auto shown = told(windows::foresee(groups, limits, now), expected);
    shown["waiting"] = waiting.count;
    shown["opens"] = nullptr;
    if (waiting.opens) shown["opens"] = iso_time(*waiting.opens);
    co_return json::value(std::move(shown));
}

result<fleet::system_set> window_sense::with_schedule(const fleet::system_set& among) const {
    const auto view = book_.current();
    if (!view) return fail(errc::unavailable, "the server is still reading the windows");
    fleet::system_set held;
    for (const auto& [schedule, systems] : view->grouped(among))
        if (!schedule.empty()) held |= systems;
    return held;
}

result<void> window_sense::check_start(
    const job_spec& spec, const fleet::system_set& targets) const {
    if (!heeds_windows(spec) || !spec.not_before) return {};
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
    const auto policy = policy_of(work);
    CO_TRY(const auto took, co_await durations_.measure(std::move(work)));
    const auto said =
        windows::admit({.now = now, .coming = *coming, .expected = expected_of(took)}, policy);
    if (const auto* const later = std::get_if<windows::wait>(&said))
        co_return answer{.opens = later->until, .why = later->why};
    if (const auto* const not_ever = std::get_if<windows::never>(&said))
        co_return answer{.opens = {}, .why = not_ever->why};
    co_return answer{};
}

}  // namespace muster::server

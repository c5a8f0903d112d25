#include "core/jobs/window_rules.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::jobs {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using rule = job_spec::window_rule;

const wall_time noon = sys_days(2026y / 11 / 16) + 12h;
const windows::window evening{noon + 8h, noon + 9h};

TEST_CASE("what changes systems waits for windows unless somebody says otherwise") {
    CHECK(default_window_rule(true) == rule::respect);
    CHECK(default_window_rule(false) == rule::ignore);
}

TEST_CASE("what ignored windows respects them when it is made again, if it changes systems") {
    CHECK(retry_window_rule(rule::ignore, true) == rule::respect);
    CHECK(retry_window_rule(rule::ignore, false) == rule::ignore);
    CHECK(retry_window_rule(rule::override, true) == rule::override);
    CHECK(retry_window_rule(rule::start, true) == rule::start);
}

TEST_CASE("to override windows needs the right for all targets") {
    for (const bool changes : {true, false})
        CHECK(required_override(rule::override, changes) == override_need::targets);
    CHECK(
        effective_window_rule(rule::override, override_need::targets, 3, true).value()
        == rule::override);
    const auto denied = effective_window_rule(rule::override, override_need::targets, 3, false);
    CHECK(denied.error().code() == errc::denied);
    CHECK(denied.error().detail().contains("all target systems"));
}

TEST_CASE("to ignore windows that some have is an override where it changes these") {
    CHECK(required_override(rule::ignore, false) == override_need::none);
    CHECK(required_override(rule::respect, true) == override_need::none);
    CHECK(required_override(rule::start, true) == override_need::none);
    const auto need = required_override(rule::ignore, true);
    CHECK(need == override_need::scheduled);
    CHECK(effective_window_rule(rule::ignore, need, 0, false).value() == rule::ignore);
    CHECK(effective_window_rule(rule::ignore, need, 3, true).value() == rule::override);
    const auto denied = effective_window_rule(rule::ignore, need, 3, false);
    CHECK(denied.error().code() == errc::denied);
    CHECK(denied.error().detail().starts_with("3 of the target systems have maintenance windows"));
    CHECK(
        effective_window_rule(rule::respect, override_need::none, 3, false).value()
        == rule::respect);
}

TEST_CASE("only a job that says so may end after its window") {
    using fit = windows::admission_policy::fit;
    CHECK(policy_of(rule::start).rule == fit::start_within);
    CHECK(policy_of(rule::respect).rule == fit::finish_within);
}

TEST_CASE("few samples tell nothing, and parts of a second count as a whole one") {
    CHECK(expected_duration({.mean = 60, .deviation = 0, .samples = 1}) == 0s);
    CHECK(expected_duration({.mean = 60.2, .deviation = 0, .samples = 5}) == 61s);
    CHECK(expected_duration({.mean = 60, .deviation = 0.5, .samples = 5}) == 62s);
}

TEST_CASE("a forecast tells who waits, until when, and who would wait in vain") {
    job_spec spec{.expires_after = 10h};
    const std::vector<forecast_part> parts{
        {.schedule = "", .systems = 1, .upcoming = {}},
        {.schedule = "nights", .systems = 2, .upcoming = {evening}}};

    const auto foreseen = forecast_windows(spec, parts, {.expected = 30min, .now = noon});

    CHECK(foreseen.waiting == windows::waiting_systems{.count = 2, .opens = evening.opens});
    CHECK(foreseen.counts.without_schedule == 1);
    CHECK(foreseen.counts.windows == std::vector<windows::forecast_line>{{"nights", evening, 2}});
    CHECK(foreseen.expected == 30min);

    spec.expires_after = 1h;
    const auto in_vain = forecast_windows(spec, parts, {.expected = 30min, .now = noon});
    CHECK(in_vain.counts.windows.empty());
    CHECK(in_vain.counts.rest.at(0).systems == 2);
}

TEST_CASE("a forecast begins when the job may, and never before now") {
    job_spec spec;
    CHECK(forecast_start(spec, noon) == noon);
    spec.not_before = noon - 1h;
    CHECK(forecast_start(spec, noon) == noon);
    spec.not_before = evening.opens;
    CHECK(forecast_start(spec, noon) == evening.opens);
    const std::vector<forecast_part> parts{
        {.schedule = "nights", .systems = 2, .upcoming = {evening}}};
    CHECK(forecast_windows(spec, parts, {.now = noon}).waiting == windows::waiting_systems{});
    // It expires by when it may start, not by now.
    spec.expires_after = 30min;
    CHECK(forecast_windows(spec, parts, {.now = noon}).counts.rest.empty());
}

TEST_CASE("a forecast keeps to the places, the rate and the rule of the job") {
    job_spec spec{.expires_after = 24h};
    const std::vector<forecast_part> parts{
        {.schedule = "nights", .systems = 9, .upcoming = {evening}}};
    const auto finished = [&](forecast_options terms) {
        terms.expected = 40min;
        terms.now = noon;
        const auto lines = forecast_windows(spec, parts, terms).counts.windows;
        return lines.empty() ? 0 : lines.front().finished;
    };
    CHECK(finished({}) == 9);
    CHECK(finished({.concurrency = 1}) == 1);
    spec.windows = rule::start;
    CHECK(finished({.concurrency = 1}) == 2);
    spec.rollout.rate = 0.001;
    CHECK(finished({}) < 9);
}

}  // namespace
}  // namespace muster::jobs
